"""Charts of the figures: how far apart a gang's binds were, and what was held below quorum.

Two schedulers may both pass and still differ by a factor of a hundred here. Bars are plain HTML, so they print, scale
and work in a screen reader; the number is always beside the bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from harness.report.model import ImplementationResult, figure


@dataclass(frozen=True, slots=True)
class Bar:
    """One integration in one chart."""

    integration: str
    middle: float
    most: float
    cases: int
    middle_share: float  # of the chart's width, in percent
    most_share: float
    worst_case: str


@dataclass(frozen=True, slots=True)
class Chart:
    """One figure over all integrations."""

    title: str
    unit: str
    about: str
    bars: tuple[Bar, ...]


def charts(implementations: Sequence[ImplementationResult]) -> list[Chart]:
    """The charts that have at least one bar."""
    drawn = [
        _chart(
            implementations,
            "skew_ms",
            "Skew",
            "ms",
            "From a gang's first bind to the bind that made its quorum. Less is better.",
        ),
        _chart(
            implementations,
            "held_gpu_seconds",
            "Held below quorum",
            "GPU·s",
            "GPUs kept by gangs that had not reached quorum, times how long. Less is better.",
        ),
    ]
    return [chart for chart in drawn if chart.bars]


def _chart(implementations: Sequence[ImplementationResult], key: str, title: str, unit: str, about: str) -> Chart:
    measured = []
    for result in implementations:
        values = [(value, case.case) for case in result.cases if (value := figure(case, key)) is not None]
        if values:
            measured.append((result.implementation.integration, values))
    top = max((max(values)[0] for _, values in measured), default=0.0) or 1.0
    bars = [
        Bar(name, middle, max(values)[0], len(values), 100 * middle / top, 100 * max(values)[0] / top, max(values)[1])
        for name, values in measured
        for middle in [median(value for value, _ in values)]
    ]
    return Chart(title, unit, about, tuple(bars))
