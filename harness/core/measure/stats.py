"""The few statistics that measurements need."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple


class Spread(NamedTuple):
    """The middle of some measurements, and the smallest and the largest of them."""

    middle: float
    least: float
    most: float
    number: int  # of measurements


class Growth(NamedTuple):
    """How a figure grows: by `x` to the power of `slope`, and how much of the change that explains."""

    slope: float
    explained: float  # the share of the variance in the logarithms, 0 to 1


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that at least this share of them does not exceed; it is one that was measured."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def spread(values: Sequence[float]) -> Spread:
    """Middle and range of at least one value."""
    return Spread(statistics.median(values), min(values), max(values), len(values))


def growth(points: Sequence[tuple[float, float]]) -> Growth | None:
    """The line through the logarithms of the points; None if fewer than two different places are above zero.

    A slope of 0 is a cost that does not grow, 1 one that doubles with twice the size, 2 one that takes four times.
    """
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    xs, ys = [x for x, _ in logs], [y for _, y in logs]
    slope, intercept = statistics.linear_regression(xs, ys)
    middle = statistics.fmean(ys)
    total = sum((y - middle) ** 2 for y in ys)
    rest = sum((y - intercept - slope * x) ** 2 for x, y in logs)
    return Growth(slope, 1.0 if total == 0 else max(0.0, 1.0 - rest / total))
