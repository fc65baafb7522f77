"""Limits for figures, made of several runs on one machine, and a run held to them.

A limit is the mean of at least five measurements plus a fifth (minus, where more is better), as Kueue calibrates its
own. Limits are of one load and one machine: a run of another load is refused, not compared. Versions may differ, since
that is what limits are for.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.core.errors import UsageError
from harness.core.measure.figures import MORE, figure_of
from harness.core.measure.model import BenchRun, Point
from harness.core.measure.summary import names, values

FORMAT = "muster.bench-limits/1"
LEAST_RUNS = 5
MARGIN = 0.2


@dataclass(frozen=True, slots=True)
class Broken:
    """A figure that is beyond its limit."""

    integration: str
    point: Point
    figure: str
    value: float
    limit: float

    def __str__(self) -> str:
        about = figure_of(self.figure)
        where = "".join(f", {name} {value}" for name, value in self.point.items())
        side, unit = ("at least" if about.better == MORE else "at most"), f" {about.unit}" if about.unit else ""
        return f"{self.integration}{where}: {self.figure} is {self.value:g}{unit}, allowed {side} {self.limit:g}{unit}"


def calibrate(run: BenchRun) -> dict[str, Any]:
    """Limits made of the rounds of the run; UsageError if there are too few."""
    limits: list[dict[str, Any]] = []
    for integration in run.integrations:
        for point in run.points:
            count = len(run.of(integration, point))
            if count < LEAST_RUNS:
                raise UsageError(
                    f"limits are made of at least {LEAST_RUNS} rounds; {integration} has {count}",
                    hint=f"Measure again with --rounds {LEAST_RUNS} or more.",
                )
            held = {name: _limit(name, values(run, integration, point, name)) for name in _held(run)}
            limits.append({"integration": _project(integration), "point": dict(point), "most": {}, "least": {}})
            for name, limit in held.items():
                if limit is not None:
                    limits[-1]["least" if figure_of(name).better == MORE else "most"][name] = limit
    return {
        "format": FORMAT,
        "bench": run.bench,
        "parameters": dict(run.parameters),
        "machine": dict(run.machine),
        "rounds": min(len(run.of(i, p)) for i in run.integrations for p in run.points),
        "limits": limits,
    }


def hold(run: BenchRun, limits: Mapping[str, Any]) -> list[Broken]:
    """The figures of the run that are beyond their limits: the middle of its rounds counts.

    UsageError if the limits are of another load, or of no integration of the run.
    """
    _check(run, limits)
    broken, compared = [], 0
    for integration in run.integrations:
        for entry in limits["limits"]:
            if entry["integration"] != _project(integration):
                continue
            for name, limit in {**entry["most"], **entry["least"]}.items():
                measured = values(run, integration, entry["point"], name)
                compared += bool(measured)
                if measured and figure_of(name).worse(statistics.median(measured), float(limit)):
                    broken.append(Broken(integration, entry["point"], name, statistics.median(measured), float(limit)))
    if not compared:
        stored = ", ".join(sorted({str(entry["integration"]) for entry in limits["limits"]}))
        raise UsageError(
            f"the limits are of {stored}, and the run has {', '.join(run.integrations)}",
            hint="Make limits of these integrations with --calibrate FILE.",
        )
    return broken


def _check(run: BenchRun, limits: Mapping[str, Any]) -> None:
    try:
        if limits.get("format") != FORMAT:
            raise ValueError(f"expected the format {FORMAT}, given {limits.get('format')!r}")
        for entry in limits["limits"]:
            numbers = [*entry["most"].values(), *entry["least"].values()]
            if not all(isinstance(number, int | float) for number in numbers) or not isinstance(
                entry["point"], Mapping
            ):
                raise ValueError("a limit is no number")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"these are no limits: {error}", hint="Give a file that --calibrate has written.") from error
    expected = {"bench": run.bench, **run.parameters}
    stored = {"bench": limits.get("bench"), **(limits.get("parameters") or {})}
    for name in sorted(expected.keys() | stored.keys()):
        if expected.get(name) != stored.get(name):
            raise UsageError(
                f"the limits are of another load: {name} is {stored.get(name)!r} there and {expected.get(name)!r} here",
                hint="Measure the load that they were made for, or make new ones with --calibrate FILE.",
            )


def _held(run: BenchRun) -> list[str]:
    return [name for name in names(run) if figure_of(name).is_held]


def _limit(name: str, measured: list[float]) -> float | None:
    if not measured:
        return None
    about, mean = figure_of(name), statistics.fmean(measured)
    change = max(MARGIN * mean, about.noise)
    return round(max(0.0, mean - change) if about.better == MORE else mean + change, 3)


def _project(integration: str) -> str:
    return integration.partition("@")[0]
