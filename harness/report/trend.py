"""How integrations do over time: streaks of cases, how often outcomes flake, and figures of runs and benches.

A single report says how things are. A vendor who runs the suite every night wants to know since when, how steadily, and
which way the figures go. Everything here follows from the reports and measurements that are given; nothing is kept
between two builds of a site.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from harness.core.measure.model import BenchRun
from harness.core.measure.summary import values
from harness.core.text import stamp

BAD = ("violated", "unknown")
CURRENT = 2  # minors behind the newest that still count: n, n-1 and n-2
FIGURES = {
    "pods_per_second": "Pods bound",
    "latency_ms_p99": "Gang latency, p99",
    "held_gpu_seconds": "Held below quorum",
}


@dataclass(frozen=True, slots=True)
class TrendEntry:
    """One integration in one report."""

    integration: str  # "volcano@1.14.1"
    kubernetes: str
    date: str
    outcomes: Mapping[str, str]  # case -> outcome
    skew_ms: float | None  # the middle of the cases that have it
    held_gpu_seconds: float | None  # of all cases together

    @property
    def project(self) -> str:
        return self.integration.partition("@")[0]

    @property
    def subject(self) -> tuple[str, str]:
        """What was judged; outcomes that differ for the same subject flake."""
        return self.integration, self.kubernetes


@dataclass(frozen=True, slots=True)
class CaseTrend:
    """One case of one integration, the oldest outcome first."""

    case: str
    outcomes: tuple[str, ...]  # "" where a report does not have it
    streak: int  # how many of the latest outcomes are equal
    flakes: int  # outcomes that differ from the one before, though nothing that was judged did
    compared: int  # pairs of outcomes that could have

    @property
    def latest(self) -> str:
        return next((outcome for outcome in reversed(self.outcomes) if outcome), "")


@dataclass(frozen=True, slots=True)
class Trend:
    """One integration over all reports, and over all measurements."""

    project: str
    entries: tuple[TrendEntry, ...]  # the oldest first
    cases: tuple[CaseTrend, ...]  # those that were ever bad or flaked first
    measured: tuple[tuple[str, str, str, Mapping[str, float]], ...]  # date, integration, load, figures

    @property
    def flake_rate(self) -> float | None:
        """The share of outcomes that changed though nothing that was judged did; None if none could be compared."""
        compared = sum(case.compared for case in self.cases)
        return sum(case.flakes for case in self.cases) / compared if compared else None

    def as_data(self) -> dict[str, Any]:
        return {
            "integration": self.project,
            "flakeRate": None if self.flake_rate is None else round(self.flake_rate, 4),
            "reports": [asdict(entry) for entry in self.entries],
            "cases": [{**asdict(case), "latest": case.latest} for case in self.cases],
            "benches": [
                {"date": date, "integration": integration, "load": load, "figures": dict(figures)}
                for date, integration, load, figures in self.measured
            ],
        }


def entries_of(report: Mapping[str, Any]) -> list[TrendEntry]:
    """The integrations of one report."""
    entries = []
    for data in report["implementations"]:
        skews = [float(case["skewMs"]) for case in data["cases"] if "skewMs" in case]
        held = [float(case["heldGpuSeconds"]) for case in data["cases"] if "heldGpuSeconds" in case]
        outcomes = {str(case["case"]): str(case["outcome"]) for case in data["cases"]}
        entries.append(
            TrendEntry(
                str(data["integration"]),
                str(data["kubernetes"]),
                str(report["date"]),
                outcomes,
                statistics.median(skews) if skews else None,
                round(sum(held), 3) if held else None,
            )
        )
    return entries


def trends(entries: Iterable[TrendEntry], benches: Iterable[BenchRun] = ()) -> list[Trend]:
    """One trend for each integration, by name."""
    by_project: dict[str, list[TrendEntry]] = {}
    for entry in sorted(entries, key=lambda entry: entry.date):
        by_project.setdefault(entry.project, []).append(entry)
    measured: dict[str, list[tuple[str, str, str, Mapping[str, float]]]] = {}
    for run in sorted(benches, key=lambda run: run.started):
        for integration in run.integrations:
            for point in run.points:
                figures = _figures(run, integration, point)
                if figures:
                    row = (stamp(run.started), integration, _load(run, point), figures)
                    measured.setdefault(integration.partition("@")[0], []).append(row)
    return [
        Trend(
            name,
            tuple(by_project.get(name, ())),
            tuple(_cases(by_project.get(name, ()))),
            tuple(measured.get(name, ())),
        )
        for name in sorted(by_project.keys() | measured.keys())
    ]


def out_of_date(version: str, newest: Iterable[str]) -> bool:
    """Whether a version is more than two minors behind the newest; one that is no number never is."""
    minor = _minor(version)
    minors = [minor for minor in map(_minor, newest) if minor is not None]
    if minor is None or not minors:
        return False
    latest = max(minors)
    return minor[0] < latest[0] or latest[1] - minor[1] > CURRENT


def _minor(version: str) -> tuple[int, int] | None:
    parts = version.lstrip("v").split(".")
    return (int(parts[0]), int(parts[1])) if len(parts) > 1 and all(p.isdigit() for p in parts[:2]) else None


def _cases(entries: Sequence[TrendEntry]) -> list[CaseTrend]:
    cases = []
    for name in sorted({case for entry in entries for case in entry.outcomes}):
        outcomes = tuple(entry.outcomes.get(name, "") for entry in entries)
        flakes = compared = 0
        last: dict[tuple[str, str], str] = {}
        for entry in entries:
            outcome = entry.outcomes.get(name)
            if outcome:
                if entry.subject in last:
                    compared += 1
                    flakes += last[entry.subject] != outcome
                last[entry.subject] = outcome
        cases.append(CaseTrend(name, outcomes, _streak(outcomes), flakes, compared))
    return sorted(cases, key=lambda case: (-case.flakes, not any(o in BAD for o in case.outcomes), case.case))


def _streak(outcomes: Sequence[str]) -> int:
    present = [outcome for outcome in outcomes if outcome]
    streak = 0
    for outcome in reversed(present):
        if outcome != present[-1]:
            break
        streak += 1
    return streak


def _figures(run: BenchRun, integration: str, point: Mapping[str, Any]) -> dict[str, float]:
    measured = {name: values(run, integration, point, name) for name in FIGURES}
    return {name: round(statistics.median(items), 3) for name, items in measured.items() if items}


def _load(run: BenchRun, point: Mapping[str, Any]) -> str:
    """What was measured, equal for runs that can be compared."""
    parameters = {**run.parameters, **point}
    parts = [f"{name} {value}" for name, value in parameters.items() if value not in (0, False, "", None)]
    return f"{run.bench}: {', '.join(parts)}"
