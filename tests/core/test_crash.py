"""A program of the integration that ends by itself is a violation, whatever becomes of the gangs."""

from __future__ import annotations

from typing import Any

import pytest

from harness.core.gang import Gang
from harness.core.oracle.checks import crash
from harness.core.oracle.describe import describe
from harness.core.oracle.judge import case_outcome, judge_case
from harness.core.verdict import Outcome, Verdict

from .story import BEGAN, Story

GANG = Gang("g", size=2)


def judged(story: Story) -> Verdict:
    return crash.judge(story.act("note").build())


def started() -> Story:
    return Story().node("n1").submit(GANG).expect("bound", "g").bind_all(GANG).after(1)


def crashed(story: Story, **state: Any) -> Story:
    return story.act("crash", "some-scheduler", role="scheduler", **{"ending": "exit code 2", **state})


def test_a_crash_is_violated_although_the_gang_starts() -> None:
    verdict = judged(crashed(started()))

    assert verdict.outcome is Outcome.VIOLATED
    assert verdict.reason == "some-scheduler ended by itself (exit code 2)"
    assert verdict.witness is not None and "some-scheduler crashed (exit code 2)" in "\n".join(verdict.witness.around)


def test_a_case_that_observes_is_violated_by_a_crash_too() -> None:
    history = crashed(started()).act("note").build()

    assert case_outcome(judge_case(history, "OBSERVE")) is Outcome.VIOLATED
    assert case_outcome(judge_case(started().act("note").build(), "OBSERVE")) is Outcome.PASS


def test_without_a_crash_there_is_nothing_to_judge() -> None:
    verdict = judged(started())

    assert verdict.outcome is Outcome.PASS and verdict.figures["judged"] == 0


@pytest.mark.parametrize("role", ["apiserver", "etcd"])
def test_a_crash_while_the_api_server_is_away_is_not_judged(role: str) -> None:
    away = started().act("kill", "it", role=role).after(5)

    assert judged(crashed(away)).outcome is Outcome.PASS
    back = started().act("kill", "it", role=role).after(5).act("ready", "it", role=role)
    assert judged(crashed(back.after(89))).figures["crashes_without_the_api_server"] == 1
    back = started().act("kill", "it", role=role).after(5).act("ready", "it", role=role)
    assert judged(crashed(back.after(91))).outcome is Outcome.VIOLATED
    counted = started().act("kill", "it", role=role).after(5).act("ready", "it", role=role)
    assert judged(crashed(counted.after(91), restarts=1)).outcome is Outcome.PASS, "a kubelet does not tell when"


def test_another_program_that_was_killed_excuses_nothing() -> None:
    assert judged(crashed(started().act("kill", "it", role="controller").after(1))).outcome is Outcome.VIOLATED


def test_what_was_killed_by_somebody_is_unknown() -> None:
    verdict = judged(crashed(started(), ending="ended by SIGKILL"))

    assert verdict.outcome is Outcome.UNKNOWN
    assert "who did that cannot be told" in verdict.reason


def test_after_a_long_stall_it_is_unknown_why_a_program_ended() -> None:
    def stalled(seconds: float, before: float) -> Outcome:
        span = {"from": BEGAN + 50, "to": BEGAN + 50 + seconds}
        story = started().at(50 + seconds).act("stalled", "apiserver", **span).after(before)
        return judged(crashed(story)).outcome

    assert stalled(6, 1) is Outcome.UNKNOWN
    assert stalled(2, 1) is Outcome.VIOLATED, "no program loses its lease that fast"
    assert stalled(6, 40) is Outcome.VIOLATED, "it had its lease again"


def test_a_bind_to_a_node_that_has_just_gone_excuses_no_crash() -> None:
    story = Story().node("n1").submit(GANG).no_node("n1").bind("g-0", "n1").bind("g-1", "n1")

    assert judged(crashed(story)).outcome is Outcome.VIOLATED


def test_a_crash_is_told_in_words() -> None:
    assert describe(crashed(started()).records[-1]).endswith("some-scheduler crashed (exit code 2)")


def test_time_that_nobody_had_is_no_time_to_reconnect() -> None:
    back = started().act("kill", "it", role="apiserver").after(5).act("ready", "it", role="apiserver").after(20)
    back.act("stalled", "muster", **{"from": BEGAN + back.now - 10, "to": BEGAN + back.now})
    assert judged(crashed(back.after(79))).outcome is Outcome.PASS
    assert judged(crashed(back.after(2))).outcome is Outcome.VIOLATED
