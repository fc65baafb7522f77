"""The result of a run: for each implementation and each profile the core and the extended result.

Every report (YAML, HTML, summary, badge, site) shows these numbers. They are counted here only, from the cases, so
that two reports of one run cannot disagree.

The result of a level follows from its cases. The first line that applies decides:

    failure   a case is violated
    unknown   a case could not be judged, or the run was cut off before every case ran
    partial   a case of the level did not run, a core case is not supported, or no case passed
    success   everything else; in extended, cases that are not supported do not count

A level is whole when every case that the catalogue has for it is in the report. A case that needs a feature which the
integration does not claim is in the report as not supported, so it is not missing. One case of 36 that passed is
therefore `partial`, and so is a level of which nothing ran, or whose number of cases is not known. A profile has the
worse result of its levels, except that a partial extended level does not lower its core: who selects core cases alone
gets the result of core, and the summary says "Extended: 0 of 3 cases ran".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from harness.core.catalogue.selection import CatalogueSize
from harness.core.results import CaseResult, Implementation, RunResult
from harness.core.verdict import Outcome, Verdict

LEVELS = ("core", "extended")
OUTCOMES = (Outcome.PASS, Outcome.VIOLATED, Outcome.UNKNOWN, Outcome.NOT_SUPPORTED)


class Result(StrEnum):
    """The result of a level or a profile, ordered from best to worst."""

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
    total: int  # how many cases the catalogue has for it; 0 if that is not known

    @property
    def whole(self) -> bool:
        """Every case of the level is in the report."""
        return len(self.cases) == self.total

    @property
    def summary(self) -> str:
        """`36 passed`, or `1 of 36 cases ran: 1 passed`."""
        if self.whole:
            return counted(self.statistics)
        ran = f"{len(self.cases)} of {self.total or 'an unknown number of'} cases ran"
        return f"{ran}: {counted(self.statistics)}" if self.cases else ran

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
class ProfileResult:
    """The result of one conformance profile on one implementation; a level that has no cases anywhere is None."""

    name: str
    core: Level | None
    extended: Level | None

    @property
    def levels(self) -> list[Level]:
        return [level for level in (self.core, self.extended) if level is not None]

    @property
    def result(self) -> Result:
        """The worst level; extended cases that are not supported do not count."""
        counting = [level.result for level in self.levels]
        if self.core and self.extended and self.extended.result is Result.PARTIAL:
            counting = [self.core.result]
        return max(counting, key=lambda result: result.badness, default=Result.UNKNOWN)

    @property
    def summary(self) -> str:
        return " ".join(f"{level.name.capitalize()}: {level.summary}." for level in self.levels)


@dataclass(frozen=True, slots=True)
class ImplementationResult:
    """One implementation with its cases and profiles, in a stable order."""

    implementation: Implementation
    cases: tuple[CaseResult, ...]
    profiles: tuple[ProfileResult, ...]

    @property
    def result(self) -> Result:
        return max((p.result for p in self.profiles), key=lambda result: result.badness, default=Result.UNKNOWN)


def implementation_results(run: RunResult) -> list[ImplementationResult]:
    """The results of each implementation of the run, also of those that only the cases name, by integration."""
    implementations = {implementation.integration: implementation for implementation in run.implementations}
    for case in run.cases:
        implementations.setdefault(case.integration, Implementation(case.integration, kubernetes=case.kubernetes))
    cut = bool(missing(run))
    results = []
    for name in sorted(implementations):
        cases = tuple(sorted((c for c in run.cases if c.integration == name), key=_order))
        profiles = tuple(_profile(p, cases, run.catalogue, cut) for p in sorted({case.profile for case in cases}))
        results.append(ImplementationResult(implementations[name], cases, profiles))
    return results


def worst_repeats(run: RunResult) -> RunResult:
    """The run with each case once on each integration: the first of its worst repeats."""
    worst: dict[tuple[str, str], CaseResult] = {}
    counts = Counter((case.integration, case.case) for case in run.cases)
    for case in run.cases:
        previous = worst.get((case.integration, case.case))
        if previous is None or case.outcome.badness > previous.outcome.badness:
            worst[case.integration, case.case] = case
    repeats = len(run.cases) - len(worst)
    if not repeats:
        return run
    cases = tuple(replace(case, repeats=counts[key]) for key, case in worst.items())
    if run.selection.repeat == 1:
        return replace(run, cases=cases, planned=max(0, run.planned - repeats))
    cut = run.interrupted or len(run.cases) < run.planned
    return replace(run, cases=cases, planned=run.planned // run.selection.repeat, interrupted=cut)


def level_result(name: str, outcomes: Sequence[Outcome], total: int, *, cut: bool = False) -> Result:
    """The rule at the top of this module; `total` is how many cases the level has."""
    present = set(outcomes)
    if Outcome.VIOLATED in present:
        return Result.FAILURE
    if Outcome.UNKNOWN in present or cut:
        return Result.UNKNOWN
    if len(outcomes) != total or Outcome.PASS not in present or (name == "core" and Outcome.NOT_SUPPORTED in present):
        return Result.PARTIAL
    return Result.SUCCESS


def missing(run: RunResult) -> str:
    """A sentence that says which cases are missing; "" for a complete run."""
    ran, planned = len(run.cases), max(run.planned, len(run.cases))
    if run.interrupted:
        return f"The run was stopped after {ran} of {planned} cases; the cases that did not run are not in this report."
    if ran < planned:
        return f"Only {ran} of {planned} cases ended; the rest is not in this report."
    return "" if ran else "The run has no cases: nothing was judged."


def deciding(case: CaseResult) -> Verdict | None:
    """The verdict that decided the outcome of the case: the first of the worst."""
    return max(case.verdicts, key=lambda verdict: verdict.outcome.badness, default=None)


def why(case: CaseResult) -> str:
    """One line that explains the outcome of the case."""
    verdict = deciding(case)
    return case.error or (verdict.reason if verdict is not None else "")  # a violated verdict is falsy


def figure(case: CaseResult, key: str) -> float | None:
    """A figure over all gangs of the case: the largest skew, the sum of what was held; None without measurements."""
    values = [float(v[key]) for v in case.figures.values() if isinstance(v.get(key), int | float)]
    if not values:
        return None
    return sum(values) if key.startswith("held") else max(values)


def counted(statistics: dict[str, int]) -> str:
    """`12 passed, 1 violated`: counts of zero are omitted."""
    labels = {"passed": "passed", "violated": "violated", "unknown": "unknown", "notSupported": "not supported"}
    return ", ".join(f"{n} {labels[key]}" for key, n in statistics.items() if n) or "no cases"


def worst_first(cases: Iterable[CaseResult]) -> list[CaseResult]:
    """Cases in the order a reader wants them: violated, unknown, pass, not-supported.

    Among those, what was not expected comes first, and MUST comes before SHOULD.
    """

    def rank(case: CaseResult) -> tuple[Any, ...]:
        return -case.outcome.badness, bool(case.expected), _strength(case), case.level, *_order(case)

    return sorted(cases, key=rank)


def violations(cases: Iterable[CaseResult]) -> str:
    """`2 (1 MUST, 1 SHOULD; 1 expected)`: how many cases are violated; what is usual is left out."""
    violated = [case for case in cases if case.outcome is Outcome.VIOLATED]
    strengths = Counter(case.strength for case in sorted(violated, key=_strength))
    by_strength = ", ".join(f"{count} {strength}" for strength, count in strengths.items())
    expected = sum(bool(case.expected) for case in violated)
    notes = [by_strength if set(strengths) - {"MUST"} else "", f"{expected} expected" if expected else ""]
    text = "; ".join(note for note in notes if note)
    return f"{len(violated)} ({text})" if text else str(len(violated))


def headline(run: RunResult) -> str:
    """The whole run in one sentence."""
    results = implementation_results(run)
    if not run.cases:
        return "Nothing was judged."
    broken = [result for result in results if result.result is Result.FAILURE]
    if broken:
        violated = [case for case in run.cases if case.outcome is Outcome.VIOLATED]
        names = _listed([result.implementation.integration.replace("@", " ") for result in broken])
        count, _, notes = violations(violated).partition(" ")
        noun = "case" if count == "1" else "cases"
        return " ".join(part for part in (names, "violated", count, noun, notes) if part) + "."
    open_cases = sum(case.outcome is Outcome.UNKNOWN for case in run.cases)
    if open_cases:
        return f"No case was violated, but {_cases(open_cases)} could not be judged."
    return "No case was violated." if not missing(run) else "No case was violated among those that ran."


def _strength(case: CaseResult) -> int:
    return {"MUST": 0, "SHOULD": 1, "MAY": 2}.get(case.strength, 3)


def _cases(count: int) -> str:
    return f"{count} case{'' if count == 1 else 's'}"


def _listed(names: Sequence[str]) -> str:
    if len(names) > 3:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _profile(name: str, cases: Iterable[CaseResult], catalogue: CatalogueSize, cut: bool) -> ProfileResult:
    levels: dict[str, Level | None] = {}
    cases_of_profile = [case for case in cases if case.profile == name]
    for level in LEVELS:
        cases_of_level = tuple(case for case in cases_of_profile if (case.level == "core") == (level == "core"))
        total = catalogue.total(name, level)
        result = level_result(level, [case.outcome for case in cases_of_level], total, cut=cut)
        levels[level] = Level(level, result, cases_of_level, total) if cases_of_level or total else None
    return ProfileResult(name, **levels)


def _order(case: CaseResult) -> tuple[str, str, str]:
    return case.profile, case.case, case.integration
