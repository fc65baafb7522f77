"""The baseline: which verdicts a run is expected to reach, and where it reached others.

Schedulers have faults, and a suite that is red every day is ignored. So the known violations are written down, each
with its reason, and a run is compared with them: a case that passes although it should not is as much of a difference
as one that fails, because the fault may be fixed. Only deviations are written down. A case passes by default, and
whether an integration is asked for a case at all follows from the features it claims.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from harness.core.catalogue.deviations import (
    RACES,
    UNSTEADY,
    VIOLATED,
    Race,
    Unsteady,
    deviations_from_data,
)
from harness.core.oracle.checks.atomic import LEFT_IN_PART
from harness.core.oracle.checks.atomic import NAME as ATOMIC
from harness.core.results import CaseResult
from harness.core.verdict import Outcome

BOX = "box"  # the check that a result names if this kind of box does not allow the case: no verdict
REPEATS = 5  # how often a case that a race may have hit is run at each further attempt

LATE = Race(frozenset((ATOMIC,)), "Its quorum was bound, but later than the window allows, as on a machine under load.")
USUAL = (LATE,)  # may hit any case of any integration


@dataclass(frozen=True, slots=True)
class Expected:
    """The verdicts that are expected of one integration in one version on one Kubernetes."""

    violated: Mapping[str, str] = field(default_factory=dict)  # case -> why it is violated
    unsteady: Mapping[str, Unsteady] = field(default_factory=dict)  # case -> how often it is violated, and why
    races: tuple[Race, ...] = ()  # those that may hit further cases, understood from a history
    not_asked: frozenset[str] = frozenset()  # cases whose features are not claimed, or that are for other versions

    def outcome(self, case: str) -> Outcome:
        """The expected outcome of a case; a violation without a reason is not accepted."""
        if case in self.not_asked:
            return Outcome.NOT_SUPPORTED
        return Outcome.VIOLATED if self.violated.get(case) else Outcome.PASS

    def known_reason(self, case: str) -> str:
        """Why the case is violated, always or now and then; empty if it is not known to be."""
        race = self.unsteady.get(case)
        return race.reason if race else self.violated.get(case, "")

    def reason(self, result: CaseResult) -> str:
        """Why the violation that a run has found is known; empty if it is none, or is not known."""
        if result.outcome is not Outcome.VIOLATED:
            return ""
        return self.known_reason(result.case)


@dataclass(frozen=True, slots=True)
class Difference:
    """A case that ended otherwise than expected."""

    case: str
    integration: str
    expected: Outcome
    actual: Outcome
    note: str = ""

    def __str__(self) -> str:
        text = f"{self.case} ({self.integration}): expected {self.expected}, seen {self.actual}"
        return f"{text}; {self.note}" if self.note else text


def expected_from_data(
    data: Any, where: str, cases: Collection[str], not_asked: frozenset[str] = frozenset()
) -> Expected:
    """The deviations of a file (see `harness.core.catalogue.deviations`); what we cannot explain is a flake of ours."""
    entries = deviations_from_data(data, where, cases)
    return Expected(entries.violated, entries.unsteady, entries.races, not_asked)


def deviations(results: Iterable[CaseResult], before: Expected) -> dict[str, Any]:
    """The data of a file after a run: reasons are kept, a new violation has none yet, what passes now is gone."""
    outcomes: dict[str, set[Outcome]] = {}
    for result in results:
        if result.case not in before.unsteady and result.case not in before.not_asked:
            outcomes.setdefault(result.case, set()).add(result.outcome)
    fixed = {case for case, several in outcomes.items() if several == {Outcome.PASS}}
    violated = {case for case, several in outcomes.items() if Outcome.VIOLATED in several}
    cases = sorted({*before.violated, *violated} - fixed)
    data: dict[str, Any] = {VIOLATED: {case: before.violated.get(case, "") for case in cases}}
    if before.unsteady:
        data[UNSTEADY] = {case: entry.as_data() for case, entry in before.unsteady.items()}
    if before.races:
        data[RACES] = [race.as_data() for race in before.races]
    return data


def differences(results: Iterable[CaseResult], expected: Expected, usual: tuple[Race, ...] = USUAL) -> list[Difference]:
    """Every result that is not the expected one; what the box did not allow is none."""
    results = [result for result in results if not any(verdict.check == BOX for verdict in result.verdicts)]
    excused = {case for case, hit in race_hits(results, expected, usual).items() if hit.is_excused}
    different = set()
    for result in results:
        outcome = expected.outcome(result.case)
        either_way = result.case in expected.unsteady and result.outcome in (Outcome.PASS, Outcome.VIOLATED)
        if either_way or result.case in excused or outcome is result.outcome:
            continue
        unexplained = result.outcome is Outcome.VIOLATED and result.case in expected.violated
        note = "its violation has no reason yet" if unexplained else ""
        different.add(Difference(result.case, result.integration, outcome, result.outcome, note))
    different |= set(_steadied(results, expected))
    return sorted(different, key=lambda difference: (difference.integration, difference.case, difference.actual))


def _steadied(results: Iterable[CaseResult], expected: Expected) -> Iterable[Difference]:
    """Unsteady cases whose outcomes in this run no longer fit the recorded rate."""
    for case, runs in _by_case(results, expected.unsteady).items():
        entry = expected.unsteady[case]
        violated = sum(run.outcome is Outcome.VIOLATED for run in runs)
        if not entry.fits(violated, len(runs)):
            outcome = Outcome.VIOLATED if violated else Outcome.PASS
            counts = f"violated in {violated} of {len(runs)} runs, recorded: {entry.violated} of {entry.runs}"
            yield Difference(case, runs[0].integration, expected.outcome(case), outcome, f"{counts}; measure it again")


@dataclass(frozen=True, slots=True)
class RaceHit:
    """A case that should pass and was hit by a known race, with the counts of its runs."""

    race: Race
    violated: int
    passed: int
    is_within_rate: bool = True  # of the race, over the whole run

    @property
    def is_rare(self) -> bool:
        """Whether it passes at least twice as often as not: a race, or a slow moment, and nothing worse."""
        return self.passed >= 2 * self.violated

    @property
    def is_excused(self) -> bool:
        return self.is_rare and self.is_within_rate


def race_hits(results: Iterable[CaseResult], expected: Expected, usual: tuple[Race, ...] = USUAL) -> dict[str, RaceHit]:
    """Cases that should pass and of which every violation is one that a known race makes."""
    results = list(results)
    cases = {result.case for result in results if expected.outcome(result.case) is Outcome.PASS}
    by_case = _by_case(results, cases - set(expected.unsteady))
    hits = {
        case: hit for case, runs in by_case.items() if (hit := _race_hit(case, runs, expected.races, usual)) is not None
    }
    for race in expected.races:
        struck = [case for case, hit in hits.items() if hit.race is race]
        if not race.allows(len(struck), len(by_case)):
            hits |= {case: replace(hits[case], is_within_rate=False) for case in struck}
    return hits


def _by_case(results: Iterable[CaseResult], cases: Collection[str]) -> dict[str, list[CaseResult]]:
    by_case: dict[str, list[CaseResult]] = {}
    for result in results:
        if result.case in cases:
            by_case.setdefault(result.case, []).append(result)
    return by_case


def _race_hit(case: str, runs: list[CaseResult], races: tuple[Race, ...], usual: tuple[Race, ...]) -> RaceHit | None:
    violated = [run for run in runs if run.outcome is Outcome.VIOLATED]
    passed = [run for run in runs if run.outcome is Outcome.PASS]
    broken = {verdict.check for run in violated for verdict in run.verdicts if verdict.outcome is Outcome.VIOLATED}
    candidates = (*usual, *races) if all(_is_only_late(run) for run in violated) else races
    race = next((race for race in candidates if race.may_hit(case, broken)), None)
    if race is None or len(violated) + len(passed) != len(runs):
        return None
    return RaceHit(race, len(violated), len(passed))


def _is_only_late(result: CaseResult) -> bool:
    """Whether nothing is wrong except that a gang reached its quorum later than its window allows."""
    broken = [verdict for verdict in result.verdicts if verdict.outcome is Outcome.VIOLATED]
    return all(verdict.check == ATOMIC and verdict.figures.get(LEFT_IN_PART) == 0 for verdict in broken)


def unsteady_cases(results: Iterable[CaseResult]) -> dict[str, list[str]]:
    """Cases of which repeats in one run ended differently, with their outcomes."""
    outcomes: dict[str, set[str]] = {}
    for result in results:
        outcomes.setdefault(f"{result.case} ({result.integration})", set()).add(str(result.outcome))
    return {case: sorted(several) for case, several in outcomes.items() if len(several) > 1}
