"""No overbooking: the bind that makes a node exceed."""

from __future__ import annotations

from harness.core.checks import overbooking
from harness.core.gang import Gang
from harness.core.verdict import Outcome

from .story import Story

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
    assert next(one for one in history.records if one.rev == verdict.witness.revision).name == "a-2"


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


def test_a_node_nobody_saw_is_unknown_and_one_that_was_removed_is_not() -> None:
    assert overbooking.judge(Story().submit(THREE).bind("a-0", "n7").end(9)).outcome is Outcome.UNKNOWN
    removed = Story().node("n7").submit(THREE).no_node("n7").bind("a-0", "n7").end(9)
    assert overbooking.judge(removed).outcome is Outcome.PASS


def test_a_bind_that_did_not_even_fit_before_the_node_shrank_is_violated() -> None:
    base = Story(window=2).node("n1", gpus=1).submit(THREE).bind("a-0").node("n1", gpus=0).after(1)
    assert overbooking.judge(base.bind("a-1").end(9)).outcome is Outcome.VIOLATED
