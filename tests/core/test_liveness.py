"""Live: a gang that fits starts, and of gangs that compete one wins."""

from __future__ import annotations

from harness.core.gang import Gang
from harness.core.oracle.checks import liveness
from harness.core.verdict import Outcome

from .story import Story

A, B = Gang("a", 3, quorum=2), Gang("b", 2)


def story() -> Story:
    return Story(bound=10).node("n1").submit(A).submit(B)


def test_bound_in_time_passes_late_is_violated_early_end_is_unknown() -> None:
    assert liveness.judge(story().expect("bound", "a").after(5).bind("a-0").bind("a-1").end(30)).outcome is Outcome.PASS
    late = story().expect("bound", "a").after(11).bind("a-0").bind("a-1").end(30)
    assert liveness.judge(late).outcome is Outcome.VIOLATED
    assert liveness.judge(story().expect("bound", "a").end(9)).outcome is Outcome.UNKNOWN


def test_the_time_of_the_promise_wins_over_the_table() -> None:
    base = story().expect("bound", "a", within=60).after(50)
    assert liveness.judge(base.bind("a-0").bind("a-1").end(90)).outcome is Outcome.PASS


def test_all_means_every_member() -> None:
    base = story().expect("bound", "a", all=True).after(1).bind("a-0").bind("a-1")
    assert liveness.judge(base.end(30)).outcome is Outcome.VIOLATED
    assert liveness.judge(story().bind_all(A).expect("bound", "a", all=True).end(30)).outcome is Outcome.PASS


def test_each_gang_of_a_promise_is_judged() -> None:
    verdict = liveness.judge(story().expect("bound", "a", "b").bind_all(A).end(30))
    assert verdict.outcome is Outcome.VIOLATED
    assert "ns/b" in verdict.reason


def test_a_gang_the_case_deletes_early_is_unknown() -> None:
    assert liveness.judge(story().expect("bound", "a").after(3).delete("a").end(30)).outcome is Outcome.UNKNOWN


def test_one_of_competing_gangs_wins() -> None:
    base = story().expect("one-of", "a", "b", within=10).after(1).bind_all(B)
    assert liveness.judge(base.end(30)).outcome is Outcome.PASS


def test_two_winners_or_a_bystander_or_none_are_violated() -> None:
    two = story().expect("one-of", "a", "b").after(1).bind_all(B).after(1).bind_all(A).end(30)
    assert liveness.judge(two).outcome is Outcome.VIOLATED
    bystander = story().expect("one-of", "a", "b").after(1).bind("a-0").bind_all(B).end(30)
    assert liveness.judge(bystander).outcome is Outcome.VIOLATED
    deadlock = story().expect("one-of", "a", "b").after(1).bind("a-0").bind("b-0").end(30)
    assert liveness.judge(deadlock).outcome is Outcome.VIOLATED
    assert liveness.judge(story().expect("one-of", "a", "b").end(5)).outcome is Outcome.UNKNOWN


def test_the_second_may_start_once_the_first_is_done() -> None:
    base = story().expect("one-of", "a", "b", within=10).bind_all(B).after(1)
    base.phase("b-0", "Succeeded").phase("b-1", "Succeeded").after(1).bind_all(A)
    assert liveness.judge(base.end(30)).outcome is Outcome.PASS


def test_what_is_bound_after_the_case_deleted_the_gang_is_no_start() -> None:
    gang = Gang("a", 2)
    history = Story().node("n1").submit(gang).expect("bound", "a", within=5).delete("a").bind_all(gang).end(30)
    assert liveness.judge(history).outcome is Outcome.UNKNOWN
