"""Records that share their equal parts are still the same records."""

from __future__ import annotations

from dataclasses import asdict

from harness.core.history.records import Record
from harness.core.history.sharing import MOST, SharedValues


def pod(name: str, **state: object) -> Record:
    base = {"request": {"cpu": 100}, "labels": {"muster.dev/gang": "g"}, "phase": "Pending"}
    return Record(1, 2.0, "watch", "added", "Pod", "ns", name, f"uid of {name}", ("created",), state={**base, **state})


def test_a_shared_record_equals_the_one_it_was_made_from() -> None:
    shared = SharedValues()
    first, second = pod("a"), pod("a", phase="Running", node="n", conditions={"Ready": ["True", "", ""]})
    before = shared.record(first, None)
    assert asdict(before) == asdict(first)
    assert asdict(shared.record(second, before)) == asdict(second)


def test_equal_parts_are_one_object() -> None:
    shared = SharedValues()
    before = shared.record(pod("a"), None)
    after = shared.record(pod("a", phase="Running"), before)
    other = shared.record(pod("b"), None)
    for record in (after, other):
        assert record.state["request"] is before.state["request"]
        assert record.state["labels"] is before.state["labels"]
    assert shared.record(pod("a"), before).state is before.state


def test_what_is_kept_is_bounded() -> None:
    shared = SharedValues()
    for number in range(MOST + 10):
        shared.record(pod("a", labels={"number": number}), None)
    first, second = (shared.record(pod("a", labels={"new": True}), None) for _ in range(2))
    assert first.state["labels"] == second.state["labels"]
    assert first.state["labels"] is not second.state["labels"]
