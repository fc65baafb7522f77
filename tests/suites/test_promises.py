"""The promises that a case declares are those that its code makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cases.declared_promises import KINDS, promised
from harness.cases.gang import SubmittedGang
from harness.cases.gangs import Gangs
from harness.core.history.promised import PROMISES
from harness.runner.collect import collect_cases


def test_every_kind_of_promise_comes_from_a_method() -> None:
    assert {*KINDS.values(), "barrier"} == PROMISES  # a barrier is promised by the JobSet that asks for one
    assert [name for name in KINDS if not hasattr(SubmittedGang, name) and not hasattr(Gangs, name)] == []


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        ("gang.is_bound_whole()", ("bound",)),
        ("assert gang.is_refused()\nassert gang.stays_pending()", ("refused", "unbound")),
        ("world.stays_pending(pod)", ()),
        ("gang.is_gone('a-1')", ()),
        ("gang.is_gone()", ("gone",)),
        ("for gang in gangs:\n    assert all(gang.reaches_quorum() for gang in gangs)", ("bound",)),
        ("world.claim('x', True)", ()),
    ],
)
def test_promises_are_read_from_the_code(code: str, kinds: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text(code)
    assert promised(tmp_path / "test_x.py") == kinds


def test_the_catalogue_has_them() -> None:
    declared = {case.id: case.promises for case in collect_cases()}
    assert declared["gang-that-fits-is-bound-whole"] == ("bound",)
    assert declared["nobody-is-evicted-for-a-gang-that-cannot-fit"] == ("bound", "refused", "unbound", "untouched")
