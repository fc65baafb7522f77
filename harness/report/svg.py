"""Line charts as plain SVG inside of a page: no script, readable in print, in the dark and without colours.

Every line has a colour, a pattern and a mark of its own, and its name stands in a legend with the same mark. A
description for screen readers says where each line begins and ends; the numbers themselves are in a table beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from harness.report.numbers import number

WIDTH, HEIGHT = 520, 280
LEFT, RIGHT, TOP, BOTTOM = 58, 24, 14, 40
DASHES = ("", "7 3", "2 3", "9 3 2 3", "5 2", "1 3", "12 4", "4 4 1 4")
MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class ChartLine:
    """One line; with marks where it was measured, without where it is a curve."""

    name: str
    points: tuple[tuple[float, float], ...]
    note: str = ""  # beside its name in the legend


@dataclass(frozen=True, slots=True)
class Axis:
    """What is drawn in one direction."""

    title: str
    is_log: bool = False
    least: float | None = None
    most: float | None = None
    ticks: tuple[float, ...] = ()  # instead of those that are chosen


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart with its words, as the templates need it."""

    title: str
    about: str
    svg: Markup
    legend: tuple[Markup, ...]


def picture(
    title: str,
    about: str,
    lines: Sequence[ChartLine],
    x: Axis,
    y: Axis,
    *,
    is_stepped: bool = False,
    has_marks: bool = False,
    rule: float | None = None,
) -> Picture | None:
    """The chart of all lines that have at least one point; None if there are none."""
    drawn = [line for line in lines if line.points]
    if not drawn:
        return None
    xs = _Scale(x, [point[0] for line in drawn for point in line.points], LEFT, WIDTH - RIGHT)
    values = [point[1] for line in drawn for point in line.points]
    ys = _Scale(y, values if rule is None else [*values, rule], HEIGHT - BOTTOM, TOP)
    parts = [_frame(xs, ys, x.title, y.title)]
    if rule is not None:
        at = f"{ys(rule):.1f}"
        parts.append(Markup('<line class="rule" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(LEFT, WIDTH - RIGHT, at, at))
    for index, line in enumerate(drawn):
        parts.append(_path(line, index, xs, ys, is_stepped))
        if has_marks:
            parts += [_mark(index, xs(a), ys(b)) for a, b in line.points]
    svg = Markup('<svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, HEIGHT, _description(title, drawn), Markup("").join(parts)
    )
    return Picture(title, about, svg, tuple(_legend(index, line) for index, line in enumerate(drawn)))


class _Scale:
    """From values to places."""

    def __init__(self, axis: Axis, values: Sequence[float], begin: float, end: float) -> None:
        self.is_log = axis.is_log
        values = [value for value in values if value > 0] or [1.0] if axis.is_log else list(values)
        self.least = axis.least if axis.least is not None else min(values)
        self.most = axis.most if axis.most is not None else max(values)
        if axis.is_log:
            self.least = self.least if axis.least is not None else _rounded(self.least, math.floor)
            self.most = self.most if axis.most is not None else _rounded(self.most, math.ceil)
        if self.most <= self.least:
            self.least, self.most = (self.least / 2, self.most * 2) if axis.is_log else (self.least, self.least + 1)
        self._begin, self._end = begin, end
        self.ticks = axis.ticks or (self._powers() if axis.is_log else self._round())

    def __call__(self, value: float) -> float:
        low, high = self._place(self.least), self._place(self.most)
        share = (self._place(max(value, self.least)) - low) / (high - low)
        return self._begin + share * (self._end - self._begin)

    def _place(self, value: float) -> float:
        return math.log10(value) if self.is_log else value

    def _powers(self) -> tuple[float, ...]:
        first, last = math.floor(math.log10(self.least)), math.ceil(math.log10(self.most))
        steps = (1, 2, 5) if last - first <= 2 else (1,)
        ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
        return tuple(tick for tick in ticks if self.least <= tick <= self.most) or (self.least, self.most)

    def _round(self) -> tuple[float, ...]:
        rough = (self.most - self.least) / MOST_TICKS
        base = 10.0 ** math.floor(math.log10(rough))
        step = next(base * factor for factor in (1, 2, 5, 10) if base * factor >= rough)
        first = math.ceil(self.least / step)
        return tuple(step * count for count in range(first, math.floor(self.most / step) + 1))


def _frame(xs: _Scale, ys: _Scale, x_title: str, y_title: str) -> Markup:
    """Grid, numbers and titles of both axes."""
    parts = []
    for tick in ys.ticks:
        at = ys(tick)
        parts.append(
            Markup('<line class="axis" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
                LEFT, WIDTH - RIGHT, *[f"{at:.1f}"] * 2
            )
        )
        parts.append(
            Markup('<text x="{}" y="{}" text-anchor="end">{}</text>').format(LEFT - 7, f"{at + 3.5:.1f}", _tick(tick))
        )
    for tick in xs.ticks:
        at = xs(tick)
        parts.append(
            Markup('<line class="axis" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
                *[f"{at:.1f}"] * 2, HEIGHT - BOTTOM, HEIGHT - BOTTOM + 4
            )
        )
        parts.append(
            Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(
                f"{at:.1f}", HEIGHT - BOTTOM + 17, _tick(tick)
            )
        )
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(Markup('<text x="{}" y="{}" text-anchor="end">{}</text>').format(WIDTH - RIGHT, HEIGHT - 6, x_title))
    parts.append(
        Markup('<text transform="translate(11 {}) rotate(-90)" text-anchor="middle">{}</text>').format(middle, y_title)
    )
    return Markup("").join(parts)


def _rounded(value: float, direction: Callable[[float], int]) -> float:
    """The nearest of 1, 2, 5, 10, 20, 50 ... in this direction."""
    base = 10.0 ** math.floor(math.log10(value))
    steps = [base, 2 * base, 5 * base, 10 * base]
    if direction is math.floor:
        return max(step for step in steps if step <= value * 1.000001)
    return min(step for step in steps if step >= value * 0.999999)


def _tick(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1 and value == int(value) else f"{value:g}"


def _path(line: ChartLine, index: int, xs: _Scale, ys: _Scale, is_stepped: bool) -> Markup:
    places = [(xs(a), ys(b)) for a, b in line.points]
    parts = [f"M{places[0][0]:.1f} {places[0][1]:.1f}"]
    for across, up in places[1:]:
        parts.append(f"H{across:.1f}V{up:.1f}" if is_stepped else f"L{across:.1f} {up:.1f}")
    return Markup('<path class="line c{}" d="{}" stroke-dasharray="{}"/>').format(
        index % 8, "".join(parts), DASHES[index % 8] or "none"
    )


_MARKS: tuple[Callable[[float, float], str], ...] = (
    lambda x, y: f"M{x - 4:.1f} {y:.1f}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    lambda x, y: f"M{x - 3.5:.1f} {y - 3.5:.1f}h7v7h-7z",
    lambda x, y: f"M{x:.1f} {y - 4.5:.1f}l4.5 8h-9z",
    lambda x, y: f"M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z",
)


def _mark(index: int, x: float, y: float) -> Markup:
    return Markup('<path class="dot c{}" d="{}"/>').format(index % 8, _MARKS[index % len(_MARKS)](x, y))


def _legend(index: int, line: ChartLine) -> Markup:
    note = Markup(' <span class="quiet">{}</span>').format(line.note) if line.note else Markup("")
    return Markup(
        '<svg class="plot key" viewBox="0 0 30 10" aria-hidden="true"><path class="line c{}" d="M0 5H30" '
        'stroke-dasharray="{}"/>{}</svg>{}{}'
    ).format(index % 8, DASHES[index % 8] or "none", _mark(index, 15, 5), escape(line.name), note)


def _description(title: str, lines: Sequence[ChartLine]) -> str:
    parts = [
        f"{line.name}: from {number(line.points[0][1])} at {number(line.points[0][0])} "
        f"to {number(line.points[-1][1])} at {number(line.points[-1][0])}"
        for line in lines
    ]
    return f"{title}. {'; '.join(parts)}"
