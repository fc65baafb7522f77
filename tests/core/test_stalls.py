"""Time in which muster or the API server stood still counts for no deadline."""

from __future__ import annotations

import pytest

from harness.core.gang import Gang
from harness.core.history.records import History
from harness.core.history.validate import impossible
from harness.core.oracle.checks import atomic, cleanup, held_resources, liveness
from harness.core.oracle.facts import Stall, stretched
from harness.core.oracle.judge import judge_case, needs_stalls
from harness.core.verdict import Outcome

from .story import BEGAN, Story

TWO = Gang("a", 2)


def stalled(story: Story, since: float, until: float, who: str = "muster") -> Story:
    return story.at(until).act("stalled", who, **{"from": BEGAN + since, "to": BEGAN + until})


def test_the_time_allowed_is_longer_by_what_was_lost() -> None:
    assert stretched(10, 5, []) == 15
    assert stretched(10, 5, [Stall(12, 15, "muster")]) == 18
    assert stretched(10, 5, [Stall(8, 12, "muster")]) == 17, "what was lost before it began is not its time"
    assert stretched(10, 5, [Stall(15, 20, "muster")]) == 15, "what was lost after its end is not its time"
    assert stretched(10, 5, [Stall(12, 15, "muster"), Stall(17, 19, "muster")]) == 20, "one may lead into another"
    assert stretched(10, 5, [Stall(12, 15, "apiserver"), Stall(13, 16, "muster")]) == 19, "each second is lost once"


def late(*stalls: tuple[float, float]) -> Outcome:
    """A gang whose second member is seen to be bound 20 s after its first."""
    story = Story(window=2).node("n1").submit(TWO).at(1).bind("a-0")
    for since, until in stalls:
        stalled(story, since, until)
    return atomic.judge(story.at(21.01).bind("a-1").end(30)).outcome


def test_a_scheduler_is_not_blamed_for_a_bind_that_muster_saw_late() -> None:
    assert late() is Outcome.VIOLATED
    assert late((1.1, 21.0)) is Outcome.PASS
    assert late((1.1, 15.0)) is Outcome.VIOLATED


def test_a_case_that_passes_only_because_of_stalls_says_so() -> None:
    def whole(*stalls: tuple[float, float]) -> History:
        story = Story(window=2).node("n1").submit(TWO).at(1).bind("a-0")
        for since, until in stalls:
            stalled(story, since, until)
        return story.at(21.01).bind("a-1").end(30)

    helped = whole((1.1, 21.0))
    assert needs_stalls(helped, judge_case(helped))
    assert not needs_stalls(whole(), judge_case(whole())), "it is violated"
    short = stalled(Story(window=2).node("n1").submit(TWO).at(1).bind("a-0"), 1.1, 1.9).bind("a-1").end(30)
    assert not needs_stalls(short, judge_case(short)), "it passes without"


def test_a_window_is_longer_by_each_stall_and_does_not_begin_anew() -> None:
    """On a machine that is busy all the time no window would ever be over, and no gang could be late."""
    ten = Gang("a", 10)

    def bound(pause: float) -> Outcome:
        story = Story(window=2).node("n1", gpus=16).submit(ten)
        for n in range(10):
            now = 1 + pause * n
            stalled(story, now - 0.1, now + 0.2).bind(f"a-{n}")
        return atomic.judge(story.end(40)).outcome

    assert bound(0.4) is Outcome.PASS, "3.6 s, of which 9 times 0.3 s were lost"
    assert bound(1.9) is Outcome.VIOLATED, "17 s, of which 3 s were lost"


def test_a_gang_that_was_promised_to_start_has_the_time_that_was_lost() -> None:
    def started(*stalls: tuple[float, float]) -> Outcome:
        story = Story().node("n1").submit(TWO).expect("bound", "a", within=10)
        for since, until in stalls:
            stalled(story, since, until)
        return liveness.judge(story.at(25).bind_all(TWO).end(40)).outcome

    assert started() is Outcome.VIOLATED
    assert started((5, 22)) is Outcome.PASS
    assert started((5, 15)) is Outcome.VIOLATED


def test_what_must_go_or_be_released_has_the_time_that_was_lost() -> None:
    def gone(story: Story) -> Outcome:
        return cleanup.judge(story.at(25).gone("a-0").gone("a-1").end(40)).outcome

    def deleted() -> Story:
        return Story(gone=5).node("n1").submit(TWO).delete("a").expect("gone", "a", within=5)

    assert gone(deleted()) is Outcome.VIOLATED
    assert gone(stalled(deleted(), 1, 24)) is Outcome.PASS

    def released(story: Story) -> Outcome:
        return held_resources.judge(story.at(25).gone("a-0").end(40)).outcome

    def held() -> Story:
        return Story(window=2).node("n1").submit(TWO).bind("a-0").expect("released", "a", within=5)

    assert released(held()) is Outcome.VIOLATED
    assert released(stalled(held(), 1, 24)) is Outcome.PASS


@pytest.mark.parametrize("span", [{"from": BEGAN + 5, "to": BEGAN + 4}, {"from": BEGAN, "to": BEGAN + 50}, {}])
def test_a_stall_that_cannot_be_is_not_judged(span: dict[str, float]) -> None:
    fault = impossible(Story().node("n1").at(9).act("stalled", "muster", **span).end(10))
    assert fault is not None
    assert fault.rule == "stall"
