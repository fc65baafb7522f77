"""Waiting ends with the first yes, with what the question raises, or with an error that says what did not come."""

import pytest

from harness.core.errors import HarnessError, ProcessError
from harness.core.waiting import until


def test_the_first_true_answer_is_returned() -> None:
    answers = iter(["", "", "here", "too late"])

    assert until(lambda: next(answers), 5, "an answer", poll=0.001) == "here"


def test_it_is_asked_once_even_without_time() -> None:
    assert until(lambda: True, 0, "an answer")


def test_what_did_not_come_is_named() -> None:
    with pytest.raises(HarnessError, match=r"not within 0\.01 s: an answer"):
        until(lambda: False, 0.01, "an answer", poll=0.001)


def test_the_caller_may_say_how_it_failed() -> None:
    with pytest.raises(ProcessError, match="its last lines"):
        until(lambda: False, 0.01, "an answer", poll=0.001, failure=lambda: ProcessError("its last lines"))


def test_an_error_of_the_question_ends_the_waiting() -> None:
    with pytest.raises(ProcessError, match="it died"):
        until(lambda: dies(), 60, "an answer", poll=0.001)


def dies() -> bool:
    raise ProcessError("it died")
