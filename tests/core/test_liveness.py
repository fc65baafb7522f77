"""Live: a gang that fits starts, and of gangs that compete one wins."""

from __future__ import annotations

from harness.core.gang import Gang, Role
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


def test_the_second_may_start_at_the_moment_at_which_the_first_is_done() -> None:
    base = story().expect("one-of", "a", "b", within=10).bind_all(B).after(1)
    base.phase("b-0", "Succeeded").bind("a-0").bind("a-1")
    assert liveness.judge(base.end(30)).outcome is Outcome.PASS
    leaving = story().expect("one-of", "a", "b", within=10).bind_all(B).after(1).terminating("b-0").bind("a-0")
    assert liveness.judge(leaving.end(30)).outcome is Outcome.VIOLATED, "what goes away still takes its room"


def test_placeholders_do_not_keep_a_winner_standing() -> None:
    base = story().expect("one-of", "a", "b", within=10).pod("ph", gang="b", part="placeholder").bind("ph").bind_all(B)
    assert liveness.judge(base.after(1).gone("b-0").after(1).bind("a-0").end(30)).outcome is Outcome.PASS


def test_a_winner_whose_role_is_below_its_minimum_does_not_stand() -> None:
    roles = Gang("c", roles=(Role("lead", 1), Role("work", 2, quorum=1)))
    base = story().submit(roles).expect("one-of", "a", "c", within=10).bind_all(roles).after(1).gone("c-lead-0")
    assert liveness.judge(base.after(1).bind("a-0").end(30)).outcome is Outcome.PASS


def test_what_is_bound_after_the_case_deleted_the_gang_neither_wins_nor_stands_beside() -> None:
    late = story().expect("one-of", "a", "b", within=10).delete("b").bind_all(B)
    assert liveness.judge(late.end(30)).outcome is Outcome.VIOLATED, "a did not start"
    beside = story().expect("one-of", "a", "b", within=10).bind_all(B).after(1).delete("a").bind("a-0")
    assert liveness.judge(beside.end(30)).outcome is Outcome.PASS
    both = story().expect("one-of", "a", "b", within=10).after(1).delete("a").delete("b")
    assert liveness.judge(both.end(30)).outcome is Outcome.UNKNOWN


def test_a_winner_stands_alone_as_far_as_the_history_goes() -> None:
    assert liveness.judge(story().expect("one-of", "a", "b", within=10).bind_all(B).end(5)).outcome is Outcome.PASS
