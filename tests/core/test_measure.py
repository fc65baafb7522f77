"""Figures, statistics and limits of measurements, without a cluster."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.core.errors import UsageError
from harness.core.gang import Gang
from harness.core.measure.course import Course, course, lost, peak, thinned
from harness.core.measure.limits import calibrate, hold
from harness.core.measure.model import BenchRun, CheckFinding, Sample, bench_from_data
from harness.core.measure.placement import usable
from harness.core.measure.stats import growth, percentile, spread
from harness.core.measure.summary import curves, names, ratio, rows
from harness.core.oracle.facts import Stall
from harness.core.verdict import Outcome
from tests.core.story import NS, Story


def test_a_percentile_is_one_of_the_values() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [percentile(values, share) for share in (0.0, 0.2, 0.5, 0.9, 0.99, 1.0)] == [1, 1, 3, 5, 5, 5]


@pytest.mark.parametrize("power", [0, 1, 2])
def test_growth_finds_the_power(power: int) -> None:
    fit = growth([(x, 3.0 * x**power) for x in (100, 500, 1000, 5000)])
    assert fit is not None
    assert fit.slope == pytest.approx(power)
    assert fit.explained == pytest.approx(1.0)


def test_growth_needs_two_places_above_zero() -> None:
    assert growth([(0, 1), (10, 2)]) is None
    assert growth([(10, 1), (10, 2)]) is None


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(1, 3), st.integers(1, 4)), min_size=1, max_size=4),
)
def test_no_placement_uses_more_than_what_is_usable(nodes: list[int], gangs: list[tuple[int, int]]) -> None:
    best = 0
    for count in range(len(gangs) + 1):
        for subset in itertools.combinations(gangs, count):
            pods = sorted((gpus for members, gpus in subset for _ in range(members)), reverse=True)
            if _packs(pods, sorted(nodes)):
                best = max(best, sum(pods))
    optimum = usable(nodes, gangs)
    assert best == optimum.gpus if optimum.is_exact else best <= optimum.gpus


def _packs(pods: list[int], nodes: list[int]) -> bool:
    """Whether the pods fit, by trying everything."""
    if not pods:
        return True
    for index in range(len(nodes)):
        if nodes[index] >= pods[0]:
            rest = [*nodes[:index], nodes[index] - pods[0], *nodes[index + 1 :]]
            if _packs(pods[1:], rest):
                return True
    return False


def test_the_course_of_a_load_comes_from_its_history() -> None:
    story = Story().node("n1").submit(Gang("a", size=2)).submit(Gang("b", size=2))
    story.after(1.0).bind("a-0").after(0.5).bind("a-1")
    history = story.build()
    went = course(history, [f"{NS}/a", f"{NS}/b"])
    figures = went.figures()
    assert (figures["gangs_started"], figures["gangs_waiting"], went.bound) == (1, 1, 2)
    assert (figures["skew_ms_max"], figures["latency_ms_p50"]) == (500, 1500)
    assert figures["pods_per_second"] == pytest.approx(2 / 1.5, abs=0.01)
    assert figures["backlog_most"] == 4
    assert figures["held_gpu_seconds"] == 0.5
    assert peak(went.used) == 2
    assert len(went.distribution()) == 101
    later = course(history, [f"{NS}/a"], since=history.records[-1].at)
    assert later.figures()["latency_ms_p50"] == 0


def test_a_thinned_curve_keeps_its_peak_and_its_end() -> None:
    curve = [(float(n), float(n % 97)) for n in range(5000)]
    points = thinned(curve, 50)
    assert len(points) <= 51
    assert peak(points) == 96
    assert points[-1] == curve[-1]


def test_time_that_is_lost_twice_at_once_counts_once() -> None:
    stalls = [Stall(10.0, 12.0, "a"), Stall(11.0, 11.5, "b"), Stall(11.0, 13.0, "c"), Stall(20.0, 21.0, "d")]
    assert lost(stalls) == 4.0


def sample(integration: str, number: int, point: dict[str, Any] | None = None, **figures: float) -> Sample:
    return Sample(integration, "1.37.1", number, point or {}, figures, Outcome.PASS)


def bench(*samples: Sample, axis: str = "", **more: Any) -> BenchRun:
    points = tuple({tuple(item.point.items()): dict(item.point) for item in samples}.values())
    integrations = tuple(dict.fromkeys(item.integration for item in samples))
    parameters = {"shape": "fit", "nodes": 10}
    run = BenchRun(
        "gangs", "n", 1.0, 2.0, "0", "embedded", parameters, axis, points, integrations, integrations[0], samples
    )
    return replace(run, **more)


def test_ratios_are_of_rounds_that_followed_each_other() -> None:
    run = bench(
        *(sample("native@1", n, pods_per_second=speed) for n, speed in ((1, 10.0), (2, 20.0), (3, 40.0))),
        *(sample("other@2", n, pods_per_second=speed) for n, speed in ((1, 20.0), (2, 20.0), (4, 80.0))),
    )
    assert ratio(run, "other@2", {}, "pods_per_second") == spread([2.0, 1.0])
    assert ratio(run, "native@1", {}, "pods_per_second") is None
    assert {(row.integration, row.spread.middle) for row in rows(run)} == {("native@1", 20.0), ("other@2", 20.0)}


def test_figures_come_in_the_order_of_the_table() -> None:
    run = bench(sample("a@1", 1, calls_per_gang_create=1, calls_per_gang=2, pods_per_second=3, nonsense=4))
    assert names(run) == ["pods_per_second", "calls_per_gang", "calls_per_gang_create"]


def test_curves_are_drawn_over_the_axis() -> None:
    run = bench(*(sample("a@1", 1, {"nodes": n}, latency_ms_p50=2.0 * n) for n in (100, 1000)), axis="nodes")
    (curve,) = curves(run)
    assert curve.points == ((100, 200), (1000, 2000))
    assert curve.growth is not None and curve.growth.slope == pytest.approx(1)
    assert curves(replace(run, axis="")) == []


def test_a_run_is_stored_and_read_again() -> None:
    finding = CheckFinding("atomic", Outcome.VIOLATED, "half of it")
    run = bench(replace(sample("a@1", 1, seconds=2), outcome=Outcome.VIOLATED, findings=(finding,), used=((0.0, 1.0),)))
    assert bench_from_data(run.as_data()) == run
    assert run.outcome is Outcome.VIOLATED
    with pytest.raises(ValueError, match=r"muster\.bench/1"):
        bench_from_data({"format": "x"})


def test_limits_are_the_mean_and_a_fifth() -> None:
    run = bench(*(sample("a@1", n, pods_per_second=100.0, latency_ms_p99=1000.0) for n in range(5)))
    limits = calibrate(run)
    (entry,) = limits["limits"]
    assert (entry["least"], entry["most"]) == ({"pods_per_second": 80.0}, {"latency_ms_p99": 1200.0})
    assert hold(run, limits) == []
    newer = bench(sample("a@2", 1, pods_per_second=79.0, latency_ms_p99=1201.0))
    assert [str(broken) for broken in hold(newer, limits)] == [
        "a@2: latency_ms_p99 is 1201 ms, allowed at most 1200 ms",
        "a@2: pods_per_second is 79 1/s, allowed at least 80 1/s",
    ]


def test_limits_need_five_rounds_and_the_same_load() -> None:
    run = bench(*(sample("a@1", n, pods_per_second=100.0) for n in range(5)))
    with pytest.raises(UsageError, match="at least 5 rounds"):
        calibrate(bench(sample("a@1", 1, pods_per_second=1.0)))
    with pytest.raises(UsageError, match="nodes is 10 there and 20 here"):
        hold(replace(run, parameters={"shape": "fit", "nodes": 20}), calibrate(run))
    with pytest.raises(UsageError, match="the limits are of a, and the run has b@1"):
        hold(bench(sample("b@1", 1, pods_per_second=1.0)), calibrate(run))
    for bad in ({}, {"format": "muster.bench-limits/1"}, {**calibrate(run), "limits": [{"most": {"a": "b"}}]}):
        with pytest.raises(UsageError, match="no limits"):
            hold(run, bad)


def test_nothing_measured_has_no_figures_that_divide() -> None:
    empty = Course(1.0, 1.0, (), (), 0, 0, 0, 0, 0.0, 0, ())
    assert "pods_per_second" not in empty.figures()
    assert empty.distribution() == []
