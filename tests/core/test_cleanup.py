"""Clean: nothing is left of a deleted gang."""

from __future__ import annotations

import pytest

from harness.core.gang import Gang
from harness.core.oracle.checks import cleanup
from harness.core.verdict import Outcome

from .story import Story

GANG = Gang("a", 2)


def story() -> Story:
    return Story(gone=10).node("n1").submit(GANG).group("a", quorum=2).after(1)


def test_a_deleted_gang_of_which_nothing_is_left_passes() -> None:
    base = story().delete("a").after(2).gone("a-0").gone("a-1").group("a", "deleted")
    assert cleanup.judge(base.end(60)).outcome is Outcome.PASS


def test_what_is_left_behind_is_violated() -> None:
    group = story().delete("a").after(2).gone("a-0").gone("a-1")
    verdict = cleanup.judge(group.end(60))
    assert verdict.outcome is Outcome.VIOLATED
    assert "1 objects" in verdict.reason
    placeholder = story().pod("ph", gang="a", part="placeholder").delete("a")
    placeholder.gone("a-0").gone("a-1").group("a", "deleted")
    assert cleanup.judge(placeholder.end(60)).outcome is Outcome.VIOLATED


def test_too_late_is_violated() -> None:
    base = story().delete("a").after(12).gone("a-0").gone("a-1").group("a", "deleted")
    assert cleanup.judge(base.end(60)).outcome is Outcome.VIOLATED


def test_a_promise_is_held_even_without_a_deletion() -> None:
    promised = story().expect("gone", "a", within=5)
    assert cleanup.judge(promised.end(60)).outcome is Outcome.VIOLATED
    assert cleanup.judge(story().expect("gone", "a", within=5).end(3)).outcome is Outcome.UNKNOWN
    gone = story().expect("gone", "a", within=5).gone("a-0").gone("a-1").group("a", "deleted")
    assert cleanup.judge(gone.end(60)).outcome is Outcome.PASS


def test_a_gang_submitted_anew_does_not_hide_what_was_left() -> None:
    base = story().delete("a").gone("a-0").gone("a-1").submit(GANG.but(name="a", size=1), create=False)
    assert cleanup.judge(base.end(60)).outcome is Outcome.VIOLATED


def test_a_gang_submitted_anew_without_deletion_need_not_go() -> None:
    assert cleanup.judge(story().submit(GANG, create=False).end(60)).outcome is Outcome.PASS


def test_a_deletion_that_was_not_over_when_the_history_ended_is_no_fault() -> None:
    assert cleanup.judge(story().delete("a").end(5)).outcome is Outcome.PASS


@pytest.mark.parametrize("role", ["scheduler", "controller", "kubelet"])
def test_what_a_process_that_is_away_may_have_to_delete_is_not_left_behind(role: str) -> None:
    away = story().act("kill", "it", role=role).delete("a").after(20)
    assert cleanup.judge(away.act("restart", "it", role=role).after(9).end()).outcome is Outcome.PASS
    away = story().act("kill", "it", role=role).delete("a").after(20)
    assert cleanup.judge(away.act("restart", "it", role=role).after(11).end()).outcome is Outcome.VIOLATED
    assert cleanup.judge(story().act("kill", "it", role=role).delete("a").end(60)).outcome is Outcome.UNKNOWN


def test_what_the_case_changed_in_the_gang_submitted_anew_is_no_time_for_the_old_one() -> None:
    anew = story().delete("a").after(5).submit(GANG, create=False).after(1).act("edit", "a", quorum=1)
    assert cleanup.judge(anew.end(12)).outcome is Outcome.VIOLATED
    edited = story().delete("a").after(6).act("edit", "a", quorum=1)
    assert cleanup.judge(edited.end(12)).outcome is Outcome.PASS
