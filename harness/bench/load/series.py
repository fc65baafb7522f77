"""All samples of a run, in an order that is fair: round by round, point by point, one integration after another.

Two integrations are measured within minutes of each other, again and again, so that a machine which gets slower hits
both. What was measured is kept whatever happens later: Ctrl-C, a box that fails, an integration that cannot do it.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psutil

from harness.bench.load import memory
from harness.bench.load.sample import NotSupportedError, Setup, take
from harness.bench.load.shapes import Load, plan
from harness.core.errors import MusterError
from harness.core.measure.model import BenchRun, Missing, Point, Sample
from harness.core.shard import WHOLE, Shard
from harness.core.version import __version__

Tell = Callable[[str], None]
Done = Callable[[BenchRun], None]


@dataclass(frozen=True, slots=True)
class Series:
    """What is to be measured."""

    bench: str
    integrations: tuple[str, ...]  # NAME[@VERSION]
    baseline: str  # one of them
    points: tuple[tuple[Point, Load], ...]
    rounds: int
    parameters: Mapping[str, Any]
    axis: str = ""
    shard: Shard = WHOLE

    def check(self) -> None:
        """UsageError for a load that makes no sense, or that this machine has no memory for."""
        for _, load in self.points:
            plan(load)
            memory.check(load)

    def samples(self) -> list[tuple[int, Point, Load, str]]:
        """Round, point, load and integration of every sample, in order."""
        together = [(number, point, load) for number in range(1, self.rounds + 1) for point, load in self.points]
        return [
            (number, point, load, integration)
            for index, (number, point, load) in enumerate(together)
            if self.shard.has_number(index)  # samples that are compared with each other stay on one machine
            for integration in _turned(self.integrations, number)
        ]


@dataclass(slots=True)
class _Taken:
    samples: list[Sample] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    interrupted: bool = False


def measure(series: Series, setup: Setup, tell: Tell, done: Done = lambda run: None) -> BenchRun:
    """Take every sample that can be taken; `done` gets all that was measured so far after each of them."""
    started = time.time()
    order, taken = series.samples(), _Taken()
    try:
        for index, item in enumerate(order):
            if _take(setup, item, f"{index + 1}/{len(order)}", taken, tell):
                done(_run(series, setup, started, taken))
    except KeyboardInterrupt:
        taken.interrupted = True
    return _run(series, setup, started, taken)


def _run(series: Series, setup: Setup, started: float, taken: _Taken) -> BenchRun:
    names = _versions(series.integrations, taken.samples)
    return BenchRun(
        series.bench,
        setup.folder.name,
        started,
        time.time(),
        __version__,
        setup.box.kind,
        series.parameters,
        series.axis,
        tuple(point for point, _ in series.points),
        tuple(names.values()),
        names[series.baseline],
        tuple(taken.samples),
        len(series.samples()),
        taken.interrupted,
        tuple(taken.missing),
        machine(),
        shard=str(series.shard),
    )


def _take(setup: Setup, item: tuple[int, Point, Load, str], place: str, taken: _Taken, tell: Tell) -> bool:
    """Take one sample; whether that went well."""
    number, point, load, integration = item
    if any(m.integration == integration and dict(m.point) == dict(point) for m in taken.missing):
        return False  # it could not be measured before
    where = ", ".join(f"{name} {value}" for name, value in point.items())
    name = f"{place} {integration}{f' ({where})' if where else ''}"
    try:
        sample = take(setup, integration, load, point, number, lambda text: tell(f"{name}: {text}"))
    except NotSupportedError as error:
        taken.missing.append(Missing(integration, point, str(error)))
        tell(f"{name}: not measured, {error}")
    except MusterError as error:
        taken.missing.append(Missing(integration, point, error.message))
        tell(f"{name}: failed, {error.message}")
    else:
        taken.samples.append(sample)
        return True
    return False


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "processors": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "platform": platform.platform(),
        "load": [round(value, 2) for value in os.getloadavg()],
    }


def _turned(integrations: Sequence[str], number: int) -> list[str]:
    """Who goes first changes from round to round."""
    first = (number - 1) % len(integrations)
    return [*integrations[first:], *integrations[:first]]


def _versions(integrations: Sequence[str], samples: Sequence[Sample]) -> dict[str, str]:
    """Each integration as it was named, and with the version that was measured."""
    names = {}
    for integration in integrations:
        project, _, version = integration.partition("@")
        measured = [s.integration for s in samples if s.integration.partition("@")[0] == project]
        if version:
            measured = [name for name in measured if name.partition("@")[2].startswith(version)]
        names[integration] = measured[0] if measured else integration
    return names
