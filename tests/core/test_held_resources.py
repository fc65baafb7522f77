"""No held hostage: what is held below quorum is free again within the bound."""

from __future__ import annotations

from harness.core.gang import Gang
from harness.core.oracle.checks import held_resources
from harness.core.verdict import Outcome

from .story import Story

GANG = Gang("a", 4)
TIMED = Gang("a", 4, timeout=10)


def held(gang: Gang = GANG) -> Story:
    base = Story(released=20).node("n1").submit(gang)
    return base.pod("ph", gang="a", part="placeholder").after(1).bind("ph")


def test_released_in_time_passes_and_still_held_is_violated() -> None:
    assert held_resources.judge(held().expect("released", "a").after(15).gone("ph").end(60)).outcome is Outcome.PASS
    assert held_resources.judge(held().expect("released", "a").after(25).gone("ph").end(60)).outcome is Outcome.VIOLATED
    assert held_resources.judge(held().expect("released", "a").end(10)).outcome is Outcome.UNKNOWN


def test_going_away_still_holds() -> None:
    base = held().expect("released", "a").after(1).terminating("ph")
    assert held_resources.judge(base.end(60)).outcome is Outcome.VIOLATED


def test_members_at_quorum_are_no_hostages() -> None:
    base = Story(released=20).node("n1").submit(GANG).bind_all(GANG).expect("released", "a")
    assert held_resources.judge(base.end(60)).outcome is Outcome.PASS
    partial = Story(released=20).node("n1").submit(GANG).bind("a-0").expect("released", "a")
    assert held_resources.judge(partial.end(60)).outcome is Outcome.VIOLATED


def test_a_gang_with_a_timeout_is_judged_without_a_promise() -> None:
    assert held_resources.judge(held(TIMED).after(29).gone("ph").end(90)).outcome is Outcome.PASS
    assert held_resources.judge(held(TIMED).after(32).gone("ph").end(90)).outcome is Outcome.VIOLATED
    assert held_resources.judge(held(TIMED).end(90)).outcome is Outcome.VIOLATED
    assert held_resources.judge(held(GANG).end(90)).outcome is Outcome.PASS


def test_a_started_gang_may_keep_what_it_has() -> None:
    base = Story(released=20).node("n1").submit(TIMED).bind_all(TIMED).after(1).gone("a-0")
    assert held_resources.judge(base.end(90)).outcome is Outcome.PASS


def test_what_was_held_is_always_reported() -> None:
    assert held_resources.judge(held().end(11)).figures["held_gpu_seconds"] == 10


def test_a_placeholder_is_held_by_a_full_gang_too() -> None:
    base = held().bind_all(GANG).expect("released", "a")
    assert held_resources.judge(base.end(60)).outcome is Outcome.VIOLATED
    base = held().bind_all(GANG).expect("released", "a").after(1).gone("ph")
    assert held_resources.judge(base.end(60)).outcome is Outcome.PASS


def test_what_the_case_deletes_was_not_released() -> None:
    early = held().expect("released", "a").after(1).delete("a").gone("ph")
    assert held_resources.judge(early.end(60)).outcome is Outcome.UNKNOWN
    again = held().expect("released", "a").after(1).submit(GANG, create=False).gone("ph")
    assert held_resources.judge(again.end(60)).outcome is Outcome.UNKNOWN
    late = held().expect("released", "a").after(25).delete("a").gone("ph")
    assert held_resources.judge(late.end(60)).outcome is Outcome.VIOLATED


def test_a_gang_that_held_nothing_any_more_begins_anew() -> None:
    base = Story(released=20).node("n1").submit(TIMED).bind_all(TIMED).after(1)
    for name, _ in TIMED.members():
        base.gone(name)
    base.pod("a-4", gang="a").bind("a-4")
    assert held_resources.judge(base.end(90)).outcome is Outcome.VIOLATED


def test_a_hold_that_was_not_over_when_the_history_ended_is_no_fault() -> None:
    assert held_resources.judge(held(TIMED).end(20)).outcome is Outcome.PASS
    dead = held(TIMED).act("kill", "sched", role="scheduler")
    assert held_resources.judge(dead.end(90)).outcome is Outcome.UNKNOWN
