"""A bind to a node that was removed is told as that, and blamed only on a scheduler that knew."""

from __future__ import annotations

from harness.core.gang import Gang
from harness.core.oracle.checks import overbooking, refused
from harness.core.oracle.judge import case_outcome, judge_case
from harness.core.second.judge import second_opinion
from harness.core.verdict import Outcome

from .story import Story

TWO = Gang("a", 2)


def removed() -> Story:
    """A node is taken from a waiting gang."""
    story = Story(window=2).node("n1", gpus=1).node("n2", gpus=1).submit(TWO).unschedulable("a-0").unschedulable("a-1")
    return story.expect("refused", "a").after(1).act("node-remove", nodes=["n2"]).no_node("n2")


def test_a_bind_just_after_the_removal_is_unknown() -> None:
    verdict = overbooking.judge(removed().after(0.1).bind("a-0", "n2").end(9))
    assert verdict.outcome is Outcome.UNKNOWN
    assert "ns/a-0 was bound to node n2, which was removed 0.100 s before" in verdict.reason
    assert "may not have known" in verdict.reason


def test_a_bind_long_after_the_removal_is_violated() -> None:
    verdict = overbooking.judge(removed().after(2.5).bind("a-0", "n2").end(9))
    assert verdict.outcome is Outcome.VIOLATED
    assert "which was removed 2.500 s before" in verdict.reason


def test_a_bind_after_a_marker_is_violated_at_once() -> None:
    verdict = overbooking.judge(removed().mark().after(0.1).bind("a-0", "n2").end(9))
    assert verdict.outcome is Outcome.VIOLATED
    assert "which was removed 0.100 s before" in verdict.reason


def test_a_marker_that_is_older_than_the_removal_proves_nothing() -> None:
    story = Story(window=2).node("n1", gpus=1).node("n2", gpus=1).mark().submit(TWO).no_node("n2")
    assert overbooking.judge(story.after(0.1).bind("a-0", "n2").end(9)).outcome is Outcome.UNKNOWN


def test_a_marker_of_another_scheduler_proves_nothing() -> None:
    story = Story(window=2).node("n1", gpus=1).pod("p", scheduler="other").no_node("n1").mark()
    assert overbooking.judge(story.after(0.1).bind("p", "n1").end(9)).outcome is Outcome.UNKNOWN
    assert second_opinion(story.end(9))["overbooking"] is Outcome.UNKNOWN


def test_a_marker_that_is_bound_later_proves_nothing() -> None:
    story = removed().act("marker", "marker-1", node="marker-1").node("marker-1").pod("marker-1", part="marker")
    story.after(0.1).bind("a-0", "n2").bind("marker-1", "marker-1")
    assert overbooking.judge(story.end(9)).outcome is Outcome.UNKNOWN


def test_nobody_is_blamed_for_what_follows_a_bind_in_good_faith() -> None:
    """The gang was promised to be refused; both its members are bound, one to a node that was gone."""
    story = Story(window=2).node("n1", gpus=1).node("n2", gpus=1).no_node("n2").submit(TWO)
    history = story.after(0.1).bind("a-1", "n2").bind("a-0", "n1").expect("refused", "a").end(9)
    verdict = refused.judge(history)
    assert verdict.outcome is Outcome.UNKNOWN
    assert "bound to node n2 just after its removal" in verdict.reason
    assert case_outcome(judge_case(history)) is Outcome.UNKNOWN


def test_a_gang_is_decided_at_once_so_its_first_member_is_excused_too() -> None:
    """The bind that breaks the promise comes a moment before the one that shows why."""
    story = Story(window=2).node("n1", gpus=1).node("n2", gpus=1).submit(TWO).expect("refused", "a").no_node("n2")
    history = story.after(0.1).bind("a-0", "n1").after(0.05).bind("a-1", "n2").end(9)
    assert refused.judge(history).outcome is Outcome.UNKNOWN
    other = (
        Story(window=2).node("n1", gpus=1).node("n2", gpus=1).submit(TWO).expect("refused", "a").pod("p").no_node("n2")
    )
    history = other.after(0.1).bind("a-0", "n1").after(0.05).bind("p", "n2").end(9)
    assert refused.judge(history).outcome is Outcome.VIOLATED, "a pod of no gang explains nothing that was before it"


def test_a_fence_on_a_removed_node_excuses_nothing_and_is_no_fault() -> None:
    story = removed().act("fence", "fence-1").pod("fence-1", part="fence").after(0.1).bind("fence-1", "n2")
    assert overbooking.judge(story.end(9)).outcome is Outcome.PASS
    assert overbooking.judge(story.end(9)).figures["raced"] == 1
    assert second_opinion(story.end(9))["overbooking"] is Outcome.PASS
    verdict = refused.judge(story.expect("unbound", "a", within=0).after(0.1).bind("a-0", "n1").end(9))
    assert verdict.outcome is Outcome.VIOLATED


def test_what_was_broken_before_such_a_bind_stays_violated() -> None:
    story = Story(window=2).node("n1", gpus=1).node("n2", gpus=1).submit(TWO).bind("a-0", "n1").after(5)
    history = story.no_node("n2").after(0.1).bind("a-1", "n2").end(9)
    assert case_outcome(judge_case(history)) is Outcome.VIOLATED


def test_a_marker_is_nothing_that_victims_are_evicted_for() -> None:
    story = Story(window=2, start_after_eviction=3).node("n1", gpus=2).submit(TWO).bind_all(TWO).after(1)
    story.act("marker", "marker-1", node="marker-1").pod("marker-1", part="marker")
    story.condition("a-0", "DisruptionTarget", "True", "PreemptionByScheduler").bind("marker-1", "marker-1")
    verdicts = {verdict.check: verdict for verdict in judge_case(story.node("marker-1").end(20))}
    assert verdicts["preemption"].outcome is Outcome.VIOLATED
