"""A measurement as plain data: bench.json, the one thing that tables, pictures, limits and trends are made from.

A bench measures points (a shape of load, perhaps with more and more nodes), each of them on every integration, in
rounds that alternate between the integrations. A sample is one load in a box of its own: its figures, what the checks
found, and the history that both follow from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.core.verdict import Outcome, worst

FORMAT = "muster.bench/1"
FILE = "bench.json"
_YEAR_9999 = 253_370_764_800  # unix seconds

Point = Mapping[str, Any]  # what differs between the loads of one bench, such as {"nodes": 1000}


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """What one check found in a sample."""

    check: str
    outcome: Outcome
    reason: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One load on one integration in a box of its own."""

    integration: str  # "workload@1.37.1"
    kubernetes: str
    number: int  # from 1
    point: Point
    figures: Mapping[str, float]
    outcome: Outcome
    findings: tuple[CheckFinding, ...] = ()  # of the checks that had something to judge
    latencies: tuple[float, ...] = ()  # the distribution in 101 steps, milliseconds
    used: tuple[tuple[float, float], ...] = ()  # seconds, and GPUs in use from then on
    room: float = 0.0  # GPUs of all nodes
    is_exact: bool = True  # whether placement is compared with the optimum, or with a bound of it
    history: str = ""  # path inside the folder
    digest: str = ""
    started: float = 0.0

    @property
    def violated(self) -> tuple[str, ...]:
        return tuple(finding.check for finding in self.findings if finding.outcome is Outcome.VIOLATED)


@dataclass(frozen=True, slots=True)
class Missing:
    """A load that was not measured, and why."""

    integration: str
    point: Point
    reason: str


@dataclass(frozen=True, slots=True)
class BenchRun:
    """Everything that one `muster bench` measured."""

    bench: str  # gangs, kep-4671
    name: str
    started: float
    finished: float
    muster: str  # version
    box: str
    parameters: Mapping[str, Any]  # of the load; two runs with the same can be compared
    axis: str  # the key of the points over which something grows; empty if nothing does
    points: tuple[Point, ...]
    integrations: tuple[str, ...]  # in the order in which they were named, with the version that was measured
    baseline: str  # the integration that the others are compared with
    samples: tuple[Sample, ...]
    planned: int = 0  # samples that were to be taken
    interrupted: bool = False
    missing: tuple[Missing, ...] = ()
    machine: Mapping[str, Any] = field(default_factory=dict)
    clauses: Mapping[str, str] = field(
        default_factory=dict
    )  # those that are judged by it as OBSERVE, and what was seen
    shard: str = ""  # which part of the samples this run took: 2/8; empty if all

    @property
    def outcome(self) -> Outcome:
        """The worst sample."""
        return worst(sample.outcome for sample in self.samples) if self.samples else Outcome.UNKNOWN

    def of(self, integration: str, point: Point | None = None) -> list[Sample]:
        """The samples of an integration, at one point or at all, in their order."""
        return [
            sample
            for sample in self.samples
            if sample.integration == integration and (point is None or dict(sample.point) == dict(point))
        ]

    def as_data(self) -> dict[str, Any]:
        return {"format": FORMAT, "outcome": str(self.outcome), **asdict(self)}


def bench_from_data(data: Mapping[str, Any]) -> BenchRun:
    """The run that `as_data` described; ValueError, TypeError or KeyError if it is none."""
    if data.get("format") != FORMAT:
        raise ValueError(f"expected {FORMAT}, given {data.get('format')!r}")
    plain = {key: value for key, value in data.items() if key not in ("format", "outcome")}
    plain["samples"] = tuple(_sample(item) for item in data["samples"])
    plain["missing"] = tuple(Missing(**item) for item in data.get("missing", ()))
    plain["points"] = tuple(dict(point) for point in data["points"])
    plain["integrations"] = tuple(map(str, data["integrations"]))
    run = BenchRun(**plain)
    for moment in (run.started, run.finished, *(sample.started for sample in run.samples)):
        if not isinstance(moment, int | float) or not 0 <= moment < _YEAR_9999:
            raise ValueError(f"{moment!r} is no time")
    return run


def _sample(data: Mapping[str, Any]) -> Sample:
    figures = {str(name): float(value) for name, value in data["figures"].items()}
    findings = tuple(
        CheckFinding(str(item["check"]), Outcome(item["outcome"]), str(item["reason"])) for item in data["findings"]
    )
    return Sample(
        **{
            **data,
            "figures": figures,
            "findings": findings,
            "outcome": Outcome(data["outcome"]),
            "latencies": tuple(map(float, data["latencies"])),
            "used": tuple((float(at), float(gpus)) for at, gpus in data["used"]),
        }
    )
