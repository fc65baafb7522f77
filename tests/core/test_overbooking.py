"""No overbooking: the bind that makes a node exceed."""

from __future__ import annotations

from harness.core.gang import GPU, Gang
from harness.core.oracle.checks import overbooking
from harness.core.second import second_opinion
from harness.core.verdict import Outcome

from .story import SCHEDULER, Story

THREE = Gang("a", 3)


def test_binds_that_fit_pass() -> None:
    assert overbooking.judge(Story().node("n1", gpus=3).submit(THREE).bind_all(THREE).end(9)).outcome is Outcome.PASS


def test_the_bind_that_exceeds_is_the_witness() -> None:
    history = Story().node("n1", gpus=2).submit(THREE).bind_all(THREE).end(9)
    verdict = overbooking.judge(history)
    assert verdict.outcome is Outcome.VIOLATED
    assert "ns/a-2" in verdict.reason
    assert "3 nvidia.com/gpu" in verdict.reason
    assert verdict.witness is not None
    assert next(record for record in history.records if record.rev == verdict.witness.revision).name == "a-2"


def test_pods_are_counted_too() -> None:
    history = Story().node("n1", pods=2).submit(THREE).bind_all(THREE).end(9)
    assert overbooking.judge(history).outcome is Outcome.VIOLATED


def test_a_terminating_pod_still_counts_and_a_finished_one_does_not() -> None:
    def first(two: Story) -> Story:
        return two.node("n1", gpus=1).submit(THREE).bind("a-0")

    assert overbooking.judge(first(Story()).terminating("a-0").bind("a-1").end(9)).outcome is Outcome.VIOLATED
    assert overbooking.judge(first(Story()).gone("a-0").bind("a-1").end(9)).outcome is Outcome.PASS
    assert overbooking.judge(first(Story()).phase("a-0", "Failed").bind("a-1").end(9)).outcome is Outcome.PASS


def test_a_node_the_case_shrinks_breaks_nothing_but_a_later_bind_does() -> None:
    def shrunk() -> Story:
        return Story(window=2).node("n1", gpus=3).submit(THREE).bind("a-0").bind("a-1").node("n1", gpus=1)

    assert overbooking.judge(shrunk().end(9)).outcome is Outcome.PASS
    raced = overbooking.judge(shrunk().after(1).bind("a-2").end(9))
    assert raced.outcome is Outcome.PASS
    assert raced.figures["raced"] == 1
    assert overbooking.judge(shrunk().after(5).bind("a-2").end(9)).outcome is Outcome.VIOLATED


def test_a_node_whose_shrinking_a_marker_has_shown_has_no_more_room_for_a_gang_that_came_later() -> None:
    def shrunk() -> Story:
        return Story(window=2).node("n1", gpus=3).node("n1", gpus=1)

    informed = shrunk().mark().submit(THREE).bind("a-0").bind("a-1").end(9)
    assert overbooking.judge(informed).outcome is Outcome.VIOLATED
    assert second_opinion(informed)["overbooking"] is Outcome.VIOLATED
    decided_before = shrunk().submit(THREE).mark().bind("a-0").bind("a-1").end(9)
    assert overbooking.judge(decided_before).outcome is Outcome.PASS
    assert second_opinion(decided_before)["overbooking"] is Outcome.PASS


def test_a_node_nobody_saw_is_unknown() -> None:
    assert overbooking.judge(Story().submit(THREE).bind("a-0", "n7").end(9)).outcome is Outcome.UNKNOWN


def test_a_pod_that_was_made_on_its_node_is_bound_by_nobody_and_takes_room_all_the_same() -> None:
    story = Story().node("n1", gpus=1).submit(THREE).pod("guest", node="n1").pod("also", node="n1").after(5)
    assert overbooking.judge(story.end(9)).figures["judged"] == 0
    story = Story().node("n1", gpus=1).submit(THREE).pod("guest", node="n1").after(5)
    assert overbooking.judge(story.bind("a-0").end(9)).outcome is Outcome.VIOLATED


def test_pods_of_another_scheduler_count_but_not_before_they_can_be_known() -> None:
    def beside(pause: float, scheduler: str) -> Outcome:
        story = Story(window=2).node("n1", gpus=2).submit(THREE).pod("theirs", scheduler=scheduler, request={GPU: 2000})
        return overbooking.judge(story.bind("theirs").after(pause).bind("a-0").end(9)).outcome

    assert beside(1, "other") is Outcome.PASS
    assert beside(3, "other") is Outcome.VIOLATED
    assert beside(1, SCHEDULER) is Outcome.VIOLATED
    earlier = Story(window=2).node("n1", gpus=2).pod("theirs", scheduler="other", request={GPU: 2000}).bind("theirs")
    verdict = overbooking.judge(earlier.submit(THREE).bind("a-0").end(9))
    assert verdict.outcome is Outcome.VIOLATED, "who knows the member knows what was before it"


def test_a_node_that_shrinks_while_the_scheduler_is_down_is_a_race_until_it_is_back() -> None:
    def back(pause: float) -> Outcome:
        story = Story(window=2).node("n1", gpus=1).submit(THREE).act("kill", "s", role="scheduler").node("n1", gpus=0)
        return overbooking.judge(story.after(9).act("ready", "s").after(pause).bind("a-0").end(30)).outcome

    assert back(1) is Outcome.PASS
    assert back(3) is Outcome.VIOLATED


def test_every_resource_counts() -> None:
    for resource in ("cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "example.com/card"):
        story = Story().watch("Node", "n1", "added", allocatable={"pods": 9000, resource: 1000})
        story.pod("p", request={resource: 600}).pod("q", request={resource: 600}).bind("p").bind("q")
        assert f"1200m {resource}" in overbooking.judge(story.end(9)).reason


def test_a_bind_that_did_not_even_fit_before_the_node_shrank_is_violated() -> None:
    base = Story(window=2).node("n1", gpus=1).submit(THREE).bind("a-0").node("n1", gpus=0).after(1)
    assert overbooking.judge(base.bind("a-1").end(9)).outcome is Outcome.VIOLATED
