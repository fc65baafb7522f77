"""Where two histories of a case part, whatever their names and times are."""

from __future__ import annotations

from dataclasses import replace

from harness.core.gang import Gang
from harness.core.history.records import History
from harness.core.oracle.diff import part

from .story import Story

TWO = Gang("a", 2)


def begun() -> Story:
    return Story().node("n1").node("n2").submit(TWO).expect("bound", "a")


def renamed(history: History, was: str, now: str) -> History:
    """The same history in another namespace."""
    text = [
        replace(
            record,
            namespace=record.namespace.replace(was, now),
            uid=f"{record.uid}-{now}",
            state={
                key: value.replace(was, now) if isinstance(value, str) else value for key, value in record.state.items()
            },
            at=record.at + 5,
            rev=record.rev + 1000 if record.rev is not None else None,
        )
        for record in history.records
    ]
    return History({**history.header, "started": history.began + 5}, tuple(text))


def test_names_times_nodes_and_the_order_of_members_mean_nothing() -> None:
    left = begun().at(1).bind("a-0", "n1").bind("a-1", "n2").end(9)
    right = begun().at(4).bind("a-1", "n1").bind("a-0", "n1").phase("a-1", "Running").end(30)
    assert part(left, right) is None
    spaces = [renamed(left, "ns", f"case-{token}") for token in ("0a1b2c3d", "deadbeef")]
    assert part(*spaces) is None


def test_a_bind_that_only_one_has_is_where_they_part() -> None:
    left = begun().at(1).bind("a-0").bind("a-1").end(9)
    right = begun().at(1).bind("a-0").end(9)
    parting = part(left, right)
    assert parting is not None
    assert parting.only_left == {"a member of ns/a (member) bound": 1}
    assert not parting.only_right
    assert parting.before[-1].text.startswith("a member of ns/a (member) created")


def test_what_follows_the_place_does_not_matter() -> None:
    def story(early: bool) -> Story:
        first = begun().at(1).bind("a-0").bind("a-1") if early else begun().at(1).unschedulable("a-0")
        return first.act("edit", "a", quorum=1)

    parting = part(story(True).at(2).gone("a-0").end(9), story(False).at(3).bind("a-0").end(9))
    assert parting is not None
    assert set(parting.only_left) == {"a member of ns/a (member) bound"}
    assert set(parting.only_right) == {"a member of ns/a (member) PodScheduled=False (Unschedulable)"}


def test_one_that_ends_early_parts_there() -> None:
    left = begun().at(1).bind_all(TWO).act("claim", sentence="all is well", held=True).end(9)
    parting = part(left, begun().at(1).bind_all(TWO).end(9))
    assert parting is not None
    assert [line.text for line in parting.left] == ['the case: claim {"held": true, "sentence": "all is well"}']
    assert parting.right == ()


def test_a_status_that_is_written_twice_is_told_once() -> None:
    left = begun().at(1).unschedulable("a-0").condition("a-0", "PodScheduled", "False", "Unschedulable", "1/2").end(9)
    assert part(left, begun().at(1).unschedulable("a-0").end(9)) is None


def test_a_stall_is_told_where_it_was() -> None:
    stalled = begun().at(3).act("stalled", "muster", **{"from": 1.0, "to": 3.0}).bind_all(TWO).end(9)
    parting = part(begun().at(1).bind_all(TWO).end(9), stalled)
    assert parting is not None
    assert parting.only_right == {"muster stood still": 1}
