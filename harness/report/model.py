"""What a run amounts to: for each implementation, each profile, the core and the extended result.

Every report (YAML, HTML, summary, badge, site) shows these numbers; they are counted here once, from the cases alone,
so that no two reports of one run can disagree.

How a level's result follows from its cases, worst first:

    failure   a case is violated
    unknown   a case could not be judged, or the run was cut off before every case ran
    partial   nothing is wrong, but core lacks a case the scheduler does not support, or nothing at all passed
    success   the rest; in extended, what is not supported does not count against it
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from harness.core.results import CaseResult, Implementation, RunResult
from harness.core.verdict import Outcome, Verdict

LEVELS = ("core", "extended")
OUTCOMES = (Outcome.PASS, Outcome.VIOLATED, Outcome.UNKNOWN, Outcome.NOT_SUPPORTED)


class Result(StrEnum):
    """How a profile's level went; ordered from best to worst."""

    SUCCESS = "success"
    PARTIAL = "partial"
    UNKNOWN = "unknown"
    FAILURE = "failure"

    @property
    def badness(self) -> int:
        return list(Result).index(self)


@dataclass(frozen=True, slots=True)
class Level:
    """The cases of one level of one profile on one implementation."""

    name: str
    result: Result
    cases: tuple[CaseResult, ...]

    def named(self, outcome: Outcome) -> list[str]:
        """Ids of the cases with this outcome, sorted."""
        return sorted(case.case for case in self.cases if case.outcome is outcome)

    @property
    def statistics(self) -> dict[str, int]:
        counts = {outcome: len(self.named(outcome)) for outcome in OUTCOMES}
        return {
            "passed": counts[Outcome.PASS],
            "violated": counts[Outcome.VIOLATED],
            "unknown": counts[Outcome.UNKNOWN],
            "notSupported": counts[Outcome.NOT_SUPPORTED],
        }


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile on one implementation; a level without cases is None."""

    name: str
    core: Level | None
    extended: Level | None

    @property
    def levels(self) -> list[Level]:
        return [level for level in (self.core, self.extended) if level is not None]

    @property
    def result(self) -> Result:
        """The worst level; what extended does not support does not count against core."""
        counting = [level.result for level in self.levels]
        if self.core and self.extended and self.extended.result is Result.PARTIAL:
            counting = [self.core.result]
        return max(counting, key=lambda result: result.badness, default=Result.UNKNOWN)

    @property
    def summary(self) -> str:
        return " ".join(f"{level.name.capitalize()}: {counted(level.statistics)}." for level in self.levels)


@dataclass(frozen=True, slots=True)
class Judged:
    """One implementation with everything found out about it, in a stable order."""

    implementation: Implementation
    cases: tuple[CaseResult, ...]
    profiles: tuple[Profile, ...]

    @property
    def result(self) -> Result:
        return max((p.result for p in self.profiles), key=lambda result: result.badness, default=Result.UNKNOWN)


def judged(run: RunResult) -> list[Judged]:
    """Each implementation of the run, also one only the cases name, sorted by integration."""
    known = {one.integration: one for one in run.implementations}
    for case in run.cases:
        known.setdefault(case.integration, Implementation(case.integration, kubernetes=case.kubernetes))
    cut = bool(missing(run))
    found = []
    for name in sorted(known):
        cases = tuple(sorted((c for c in run.cases if c.integration == name), key=_order))
        profiles = tuple(_profile(p, cases, cut) for p in sorted({case.profile for case in cases}))
        found.append(Judged(known[name], cases, profiles))
    return found


def worst_repeats(run: RunResult) -> RunResult:
    """The run with each case once on each integration: of its repeats the first of the worst."""
    kept: dict[tuple[str, str], CaseResult] = {}
    for case in run.cases:
        known = kept.get((case.integration, case.case))
        if known is None or case.outcome.badness > known.outcome.badness:
            kept[case.integration, case.case] = case
    spared = len(run.cases) - len(kept)
    return replace(run, cases=tuple(kept.values()), planned=max(0, run.planned - spared)) if spared else run


def level_result(name: str, outcomes: Iterable[Outcome], *, cut: bool = False) -> Result:
    """The rule at the top of this module."""
    seen = set(outcomes)
    if Outcome.VIOLATED in seen:
        return Result.FAILURE
    if Outcome.UNKNOWN in seen or cut or not seen:
        return Result.UNKNOWN
    if Outcome.PASS not in seen or (name == "core" and Outcome.NOT_SUPPORTED in seen):
        return Result.PARTIAL
    return Result.SUCCESS


def missing(run: RunResult) -> str:
    """What the run lacks, in words; "" for a run that is whole."""
    ran, planned = len(run.cases), max(run.planned, len(run.cases))
    if run.interrupted:
        return f"The run was stopped after {ran} of {planned} cases; what did not run is not in this report."
    if ran < planned:
        return f"Only {ran} of {planned} cases ended; the rest is not in this report."
    return "" if ran else "The run has no cases: nothing was judged."


def deciding(case: CaseResult) -> Verdict | None:
    """The verdict that made the case's outcome: the first of the worst."""
    return max(case.verdicts, key=lambda verdict: verdict.outcome.badness, default=None)


def why(case: CaseResult) -> str:
    """One line for what happened in the case."""
    verdict = deciding(case)
    return case.error or (verdict.reason if verdict is not None else "")  # a violated verdict is falsy


def figure(case: CaseResult, key: str) -> float | None:
    """A figure over the case's gangs: the largest skew, the sum of what was held; None if nothing was measured."""
    values = [float(v[key]) for v in case.figures.values() if isinstance(v.get(key), int | float)]
    if not values:
        return None
    return sum(values) if key.startswith("held") else max(values)


def counted(statistics: dict[str, int]) -> str:
    """`12 passed, 1 violated`: what is zero is left out."""
    words = {"passed": "passed", "violated": "violated", "unknown": "unknown", "notSupported": "not supported"}
    return ", ".join(f"{n} {words[key]}" for key, n in statistics.items() if n) or "no cases"


def worst_first(cases: Iterable[CaseResult]) -> list[CaseResult]:
    """Cases in the order a reader wants them: violated, unknown, pass, not-supported; MUST before SHOULD."""
    strengths = {"MUST": 0, "SHOULD": 1, "MAY": 2}
    return sorted(cases, key=lambda c: (-c.outcome.badness, strengths.get(c.strength, 3), c.level, *_order(c)))


def headline(run: RunResult) -> str:
    """The whole run in one sentence."""
    all_of_them = judged(run)
    if not run.cases:
        return "Nothing was judged."
    broken = [one for one in all_of_them if one.result is Result.FAILURE]
    if broken:
        laws = sum(case.outcome is Outcome.VIOLATED for case in run.cases)
        names = _listed([one.implementation.integration.replace("@", " ") for one in broken])
        return f"{names} broke what {'it promises' if len(broken) == 1 else 'they promise'} in {_cases(laws)}."
    open_cases = sum(case.outcome is Outcome.UNKNOWN for case in run.cases)
    if open_cases:
        return f"Nothing was broken, but {_cases(open_cases)} could not be judged."
    return "Every gang was placed whole or not at all." if not missing(run) else "Nothing was broken in what ran."


def _cases(count: int) -> str:
    return f"{count} case{'' if count == 1 else 's'}"


def _listed(names: Sequence[str]) -> str:
    if len(names) > 3:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _profile(name: str, cases: Iterable[CaseResult], cut: bool) -> Profile:
    levels: dict[str, Any] = {}
    own = [case for case in cases if case.profile == name]
    for level in LEVELS:
        there = tuple(case for case in own if (case.level == "core") == (level == "core"))
        result = level_result(level, (case.outcome for case in there), cut=cut)
        levels[level] = Level(level, result, there) if there else None
    return Profile(name, **levels)


def _order(case: CaseResult) -> tuple[str, str, str, str]:
    return case.profile, case.folder, case.case, case.integration
