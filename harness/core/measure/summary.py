"""What the rounds of a measurement say together: middle and range, ratios side by side, and how cost grows.

A ratio is made of two rounds that followed each other in one run, and the ratios of all rounds give a middle and a
range. Seconds of different machines, or of one machine on different days, are never divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.core.measure.figures import FIGURES
from harness.core.measure.model import BenchRun, Point
from harness.core.measure.stats import Growth, Spread, growth, spread

GROWING = ("latency_ms_p50", "latency_ms_p99", "pods_per_second", "cpu_seconds_scheduler", "memory_mb_scheduler")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of one integration at one point."""

    integration: str
    point: Point
    figure: str
    spread: Spread
    ratio: Spread | None  # to the baseline; None for the baseline itself, and where it has no value


@dataclass(frozen=True, slots=True)
class Curve:
    """One figure of one integration over the axis."""

    integration: str
    figure: str
    points: tuple[tuple[float, float], ...]  # place on the axis, and the middle there
    growth: Growth | None


def names(run: BenchRun) -> list[str]:
    """The figures that any round has, in the order of the table; those by verb after their sum."""
    present = {name for sample in run.samples for name in sample.figures}
    order = list(FIGURES)

    def place(name: str) -> tuple[int, str]:
        base = name if name in FIGURES else "calls_per_gang"
        return order.index(base), name

    return sorted((name for name in present if name in FIGURES or name.startswith("calls_per_gang_")), key=place)


def values(run: BenchRun, integration: str, point: Point, figure: str) -> list[float]:
    """The values of a figure in all rounds that have it."""
    return [item.figures[figure] for item in run.of(integration, point) if figure in item.figures]


def rows(run: BenchRun, figures: Sequence[str] | None = None) -> list[Row]:
    """Every figure of every integration at every point."""
    figure_names = names(run) if figures is None else figures
    return [
        Row(integration, point, figure, spread(measured), ratio(run, integration, point, figure))
        for point in run.points
        for figure in figure_names
        for integration in run.integrations
        if (measured := values(run, integration, point, figure))
    ]


def ratio(run: BenchRun, integration: str, point: Point, figure: str) -> Spread | None:
    """The figure divided by that of the baseline in the same round, over all rounds that both have."""
    if integration == run.baseline:
        return None
    base = {item.number: item.figures.get(figure) for item in run.of(run.baseline, point)}
    ratios = [
        item.figures[figure] / other
        for item in run.of(integration, point)
        if figure in item.figures and (other := base.get(item.number))
    ]
    return spread(ratios) if ratios else None


def curves(run: BenchRun) -> list[Curve]:
    """How the figures grow over the axis of the run; nothing if it has none."""
    if not run.axis:
        return []
    drawn = []
    for figure in GROWING:
        for integration in run.integrations:
            points = [
                (float(point[run.axis]), spread(measured).middle)
                for point in run.points
                if run.axis in point and (measured := values(run, integration, point, figure))
            ]
            if len(points) > 1:
                drawn.append(Curve(integration, figure, tuple(points), growth(points)))
    return drawn
