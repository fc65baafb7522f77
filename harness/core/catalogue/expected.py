"""The baseline: which verdicts a run is expected to reach, and where it reached others.

Schedulers have faults, and a suite that is red every day is looked at by nobody. So the violations we know are written
down, each with its reason, and a run is compared with them: a case that passes although it should not is as much of a
difference as one that fails, for it means that somebody fixed something. Only deviations are written down. A case
passes by default, and whether an integration is asked for a case at all follows from the features it claims.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.core.errors import UsageError
from harness.core.oracle.checks.atomic import LEFT_IN_PART
from harness.core.oracle.checks.atomic import NAME as ATOMIC
from harness.core.results import CaseResult
from harness.core.text import nearest
from harness.core.verdict import Outcome

VIOLATED = str(Outcome.VIOLATED)
UNSTEADY = "unsteady"
RACES = "races"
KEYS = (VIOLATED, UNSTEADY, RACES)
BOX = "box"  # the check that a result names if this kind of box does not allow the case: no verdict on anybody
REPEATS = 5  # how often a case that a race may have hit is run at each further attempt


@dataclass(frozen=True, slots=True)
class Race:
    """A fault of a scheduler that shows now and then, in any case that gives it the occasion."""

    checks: frozenset[str]  # those that it breaks
    reason: str


LATE = Race(frozenset((ATOMIC,)), "Its quorum was bound, but later than the window allows, as on a machine under load.")


@dataclass(frozen=True, slots=True)
class Expected:
    """The verdicts that are expected of one integration in one version on one Kubernetes."""

    violated: Mapping[str, str] = field(default_factory=dict)  # case -> why it is violated
    unsteady: Mapping[str, str] = field(default_factory=dict)  # case -> why it is violated at times
    races: tuple[Race, ...] = ()  # those that may hit any case, understood from a history
    not_asked: frozenset[str] = frozenset()  # cases whose features are not claimed, or that are for other versions

    def outcome(self, case: str) -> Outcome:
        """The expected outcome of a case; a violation without a reason is not accepted."""
        if case in self.not_asked:
            return Outcome.NOT_SUPPORTED
        return Outcome.VIOLATED if self.violated.get(case) else Outcome.PASS

    def reason(self, result: CaseResult) -> str:
        """Why the violation that a run has found is known; empty if it is none, or is not known."""
        if result.outcome is not Outcome.VIOLATED:
            return ""
        return self.violated.get(result.case) or self.unsteady.get(result.case, "")


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
    """The deviations of a file: violated cases and unsteady cases with reasons, and races.

    `unsteady` is for a race inside the scheduler that was understood from a history: such a case may pass or be
    violated, and its reason says which race it is. `races` are those that may hit any case, by the checks that they
    break: a case may be violated by one of them if it passes at least twice as often. What we cannot explain is a
    flake of ours and has no place here.
    """
    if not isinstance(data, Mapping):
        raise UsageError(f"{where}: not a mapping: {data!r}", hint=f"Allowed keys: {', '.join(KEYS)}.")
    if unknown := sorted(set(data) - set(KEYS)):
        hint = f"Allowed: {', '.join(KEYS)}. Cases that pass or are not supported are not written down."
        raise UsageError(f"{where}: unknown key {unknown[0]!r}", hint=hint)
    violated, unsteady = _reasons(data, VIOLATED, where, cases), _reasons(data, UNSTEADY, where, cases)
    if both := sorted(set(violated) & set(unsteady)):
        raise UsageError(f"{where}: case {both[0]} is both {VIOLATED} and {UNSTEADY}", hint="Keep one of the two.")
    races = data.get(RACES) or ()
    if not isinstance(races, list | tuple):
        raise UsageError(f"{where}: {RACES} is no list: {races!r}", hint=_RACE)
    return Expected(violated, unsteady, tuple(_race(race, where) for race in races), not_asked)


def _reasons(data: Mapping[str, Any], key: str, where: str, cases: Collection[str]) -> dict[str, str]:
    reasons = data.get(key) or {}
    if not isinstance(reasons, Mapping):
        raise UsageError(f"{where}: {key} has no reasons: {reasons!r}", hint="Each case has one: {CASE: why}.")
    for case in reasons:
        if case not in cases:
            raise UsageError(
                f"{where}: {key}: there is no case {case!r}", hint=f"{nearest(str(case), cases)}See: muster list cases"
            )
    return {case: str(reason or "") for case, reason in reasons.items()}


_RACE = "A race is {checks: [atomic, liveness], reason: why}."


def _race(data: Any, where: str) -> Race:
    if not isinstance(data, Mapping) or set(data) != {"checks", "reason"} or not isinstance(data["checks"], list):
        raise UsageError(f"{where}: not a race: {data!r}", hint=_RACE)
    return Race(frozenset(data["checks"]), str(data["reason"]))


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
        data[UNSTEADY] = dict(before.unsteady)
    if before.races:
        data[RACES] = [{"checks": sorted(race.checks), "reason": race.reason} for race in before.races]
    return data


def differences(results: Iterable[CaseResult], expected: Expected) -> list[Difference]:
    """Every result that is not the expected one; what the box did not allow is none."""
    results = [result for result in results if not any(verdict.check == BOX for verdict in result.verdicts)]
    rare = {case for case, hit in race_hits(results, expected).items() if hit.is_rare}
    different = set()
    for result in results:
        outcome = expected.outcome(result.case)
        either_way = result.case in expected.unsteady and result.outcome in (Outcome.PASS, Outcome.VIOLATED)
        if either_way or result.case in rare or outcome is result.outcome:
            continue
        unexplained = result.outcome is Outcome.VIOLATED and result.case in expected.violated
        note = "its violation has no reason yet" if unexplained else ""
        different.add(Difference(result.case, result.integration, outcome, result.outcome, note))
    return sorted(different, key=lambda difference: (difference.integration, difference.case, difference.actual))


@dataclass(frozen=True, slots=True)
class RaceHit:
    """A case that should pass and was hit by a known race, with the counts of its runs."""

    race: Race
    violated: int
    passed: int

    @property
    def is_rare(self) -> bool:
        """Whether it passes at least twice as often as not: a race, or a slow moment, and nothing worse."""
        return self.passed >= 2 * self.violated


def race_hits(results: Iterable[CaseResult], expected: Expected) -> dict[str, RaceHit]:
    """Cases that should pass and of which every violation is one that a known race makes."""
    by_case: dict[str, list[CaseResult]] = {}
    for result in results:
        if expected.outcome(result.case) is Outcome.PASS and result.case not in expected.unsteady:
            by_case.setdefault(result.case, []).append(result)
    hits = {case: _race_hit(runs, expected.races) for case, runs in by_case.items()}
    return {case: hit for case, hit in hits.items() if hit is not None}


def _race_hit(runs: list[CaseResult], races: tuple[Race, ...]) -> RaceHit | None:
    violated = [run for run in runs if run.outcome is Outcome.VIOLATED]
    passed = [run for run in runs if run.outcome is Outcome.PASS]
    broken = {verdict.check for run in violated for verdict in run.verdicts if verdict.outcome is Outcome.VIOLATED}
    candidates = (LATE, *races) if all(_is_only_late(run) for run in violated) else races
    race = next((race for race in candidates if broken and broken <= race.checks), None)
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
