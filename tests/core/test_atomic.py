"""Atomic: whole within the window, or taken back."""

from __future__ import annotations

import pytest

from harness.core.gang import Gang, Role
from harness.core.oracle.checks import atomic
from harness.core.verdict import Outcome

from .story import Story

FOUR = Gang("a", 4)


def story() -> Story:
    return Story(window=2.0).node("n1").submit(FOUR).after(1)


def test_a_gang_bound_whole_passes_and_its_skew_is_reported() -> None:
    history = story().bind_all(FOUR, every=0.1).end(20)
    verdict = atomic.judge(history)
    assert verdict.outcome is Outcome.PASS
    figures = verdict.figures["gangs"]["ns/a"]
    assert figures["skew_ms"] == pytest.approx(300)
    assert figures["skew_revisions"] == 3
    assert figures["held_pod_seconds"] == pytest.approx(0.1 * (1 + 2 + 3))
    assert figures["binds"] == 4


def test_a_gang_left_partial_is_violated_at_its_last_bind() -> None:
    history = story().bind("a-0").bind("a-1").bind("a-2").end(20)
    verdict = atomic.judge(history)
    assert verdict.outcome is Outcome.VIOLATED
    assert "3 of 4" in verdict.reason
    assert verdict.witness is not None
    shown = next(record for record in history.records if record.rev == verdict.witness.revision)
    assert shown.name == "a-2"
    assert [row.state for row in verdict.witness.ledger] == ["bound", "bound", "bound", "pending"]
    assert any("a-2 bound to n1" in line for line in verdict.witness.around)


def test_quorum_after_the_window_is_violated() -> None:
    late = story().bind("a-0").bind("a-1").bind("a-2").after(2.5).bind("a-3").end(20)
    assert atomic.judge(late).outcome is Outcome.VIOLATED
    in_time = story().bind("a-0").bind("a-1").bind("a-2").after(1.9).bind("a-3").end(20)
    assert atomic.judge(in_time).outcome is Outcome.PASS


def test_taking_back_in_time_passes_and_is_counted() -> None:
    history = story().bind("a-0").after(1).gone("a-0").end(20)
    verdict = atomic.judge(history)
    assert verdict.outcome is Outcome.PASS
    assert verdict.figures["gangs"]["ns/a"]["rollbacks"] == 1
    late = story().bind("a-0").after(3).gone("a-0").end(20)
    assert atomic.judge(late).outcome is Outcome.VIOLATED


def test_a_partial_gang_at_an_early_end_is_unknown() -> None:
    assert atomic.judge(story().bind("a-0").end(2)).outcome is Outcome.UNKNOWN


def test_losses_after_quorum_are_not_atomicity_until_zero() -> None:
    begun = story().bind_all(FOUR).after(5).gone("a-0").after(5)
    assert atomic.judge(begun.end()).outcome is Outcome.PASS
    again = story().bind_all(FOUR).after(5)
    for name in ("a-0", "a-1", "a-2", "a-3"):
        again.gone(name)
    again.pod("a-0", gang="a").after(1).bind("a-0").after(5)
    assert atomic.judge(again.end()).outcome is Outcome.VIOLATED


def test_a_terminating_member_does_not_count_and_a_finished_one_does() -> None:
    going = story().bind("a-0").bind("a-1").bind("a-2").terminating("a-0").bind("a-3").end(20)
    assert atomic.judge(going).outcome is Outcome.VIOLATED
    done = story().bind("a-0").phase("a-0", "Succeeded").gone("a-0").bind("a-1").bind("a-2").bind("a-3").end(20)
    assert atomic.judge(done).outcome is Outcome.PASS


def test_every_role_must_reach_its_minimum() -> None:
    gang = Gang("r", roles=(Role("lead", 1), Role("work", 3, quorum=2)))
    base = Story().node("n1").submit(gang)
    assert gang.minimum == 3
    base.bind("r-work-0").bind("r-work-1").bind("r-work-2")
    assert atomic.judge(base.end(20)).outcome is Outcome.VIOLATED
    whole = Story().node("n1").submit(gang).bind("r-lead-0").bind("r-work-1").bind("r-work-2").end(20)
    assert atomic.judge(whole).outcome is Outcome.PASS


def test_time_with_the_scheduler_down_does_not_count() -> None:
    def killed(role: str) -> Story:
        begun = story().bind("a-0").act("kill", "sched", role=role).after(10)
        return begun.act("restart", "sched", role=role).act("ready", "sched", role=role).after(1.5)

    back = killed("scheduler").bind("a-1").bind("a-2").bind("a-3").end(40)
    assert atomic.judge(back).outcome is Outcome.PASS
    assert atomic.judge(killed("scheduler").after(1).end()).outcome is Outcome.VIOLATED
    assert atomic.judge(killed("controller").bind("a-1").bind("a-2").bind("a-3").end(40)).outcome is Outcome.VIOLATED


def test_a_scheduler_that_never_came_back_leaves_it_unknown() -> None:
    history = story().bind("a-0").act("kill", "sched", role="scheduler").end(60)
    assert atomic.judge(history).outcome is Outcome.UNKNOWN


def test_what_the_case_does_to_the_gang_restarts_the_window() -> None:
    def touched(verb: str, **state: object) -> Story:
        return story().bind("a-0").bind("a-1").after(1.5).act(verb, "a", **state).after(1.5)

    for verb, state in (("delete", {"what": "members", "members": ["a-3"]}), ("node-remove", {"nodes": ["n9"]})):
        assert atomic.judge(touched(verb, **state).bind("a-2").bind("a-3").end(20)).outcome is Outcome.PASS
    assert atomic.judge(touched("note").bind("a-2").bind("a-3").end(20)).outcome is Outcome.VIOLATED


def test_an_edited_quorum_applies_from_then_on() -> None:
    lowered = story().bind("a-0").bind("a-1").after(1).act("edit", "a", quorum=2).end(20)
    assert atomic.judge(lowered).outcome is Outcome.PASS
    raised = story().act("edit", "a", quorum=5).bind_all(FOUR).end(20)
    assert atomic.judge(raised).outcome is Outcome.VIOLATED


def test_gangs_of_one_group_start_together() -> None:
    first, second = Gang("a", 2, group=("b",)), Gang("b", 2, group=("a",))
    base = Story().node("n1").submit(first).submit(second).bind_all(first)
    assert atomic.judge(base.end(20)).outcome is Outcome.VIOLATED
    both = Story().node("n1").submit(first).submit(second).bind_all(first).after(1).bind_all(second).end(20)
    assert atomic.judge(both).outcome is Outcome.PASS


def test_placeholders_are_holds_and_never_members() -> None:
    begun = Story().node("n1").submit(FOUR)
    for n in range(4):
        begun.pod(f"ph-{n}", gang="a", part="placeholder").bind(f"ph-{n}")
    verdict = atomic.judge(begun.end(10))
    assert verdict.outcome is Outcome.PASS
    assert verdict.figures["gangs"]["ns/a"]["held_gpu_seconds"] == pytest.approx(40)
    assert verdict.figures["gangs"]["ns/a"]["binds"] == 0


def test_a_second_life_is_judged_on_its_own() -> None:
    begun = story().bind_all(FOUR).after(1).delete("a")
    for name in ("a-0", "a-1", "a-2", "a-3"):
        begun.gone(name)
    assert atomic.judge(begun.submit(FOUR).after(1).bind("a-0").end(30)).outcome is Outcome.VIOLATED


def test_the_same_name_in_another_namespace_is_another_gang() -> None:
    begun = story().bind("a-0").bind("a-1").bind("a-2")
    begun.watch("Pod", "other", "added", gang="other/a", part="member", node="n1", phase="Pending")
    assert atomic.judge(begun.end(20)).outcome is Outcome.VIOLATED


def test_deletion_by_the_case_ends_what_is_judged() -> None:
    history = story().bind("a-0").after(1).delete("a").after(1).bind("a-1").end(30)
    assert atomic.judge(history).outcome is Outcome.PASS


def test_a_gang_that_ends_long_after_its_start_was_whole() -> None:
    begun = story().bind_all(FOUR).after(30)
    for name in ("a-0", "a-1", "a-2", "a-3"):
        begun.gone(name)
    assert atomic.judge(begun.end(60)).outcome is Outcome.PASS


def test_the_window_is_over_only_after_its_last_moment() -> None:
    assert atomic.judge(story().bind("a-0").after(2).end()).outcome is Outcome.UNKNOWN
    assert atomic.judge(story().bind("a-0").after(2.5).end()).outcome is Outcome.VIOLATED


def test_the_witness_is_how_it_stood_when_the_window_was_over() -> None:
    verdict = atomic.judge(story().bind("a-0").bind("a-1").after(10).bind("a-2").end(60))
    assert "2 of 4" in verdict.reason
    assert verdict.witness is not None
    assert [row.state for row in verdict.witness.ledger] == ["bound", "bound", "pending", "pending"]


def test_a_group_with_a_gang_that_never_came_cannot_start() -> None:
    first = Gang("a", 2, group=("b",))
    assert atomic.judge(Story().node("n1").submit(first).bind_all(first).end(20)).outcome is Outcome.VIOLATED
