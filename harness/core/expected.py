"""What a run is expected to find, and where it found something else.

Schedulers have faults, and a suite that is red every day is looked at by nobody. So the verdicts we know are written
down, each violation with its reason, and a run is held against them: a case that passes though it should not is as
much of a difference as one that fails, for it means that somebody fixed something.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.core.checks.atomic import LEFT_IN_PART
from harness.core.checks.atomic import NAME as ATOMIC
from harness.core.errors import UsageError
from harness.core.results import CaseResult
from harness.core.verdict import Outcome

LISTS = (Outcome.PASS, Outcome.NOT_SUPPORTED)
UNSTEADY = "unsteady"
RACES = "races"
AGAIN = 5  # how often a case that a race may have struck is run at each further look


@dataclass(frozen=True, slots=True)
class Race:
    """A fault that strikes now and then, in whatever case gives it the occasion."""

    checks: frozenset[str]  # what it breaks when it strikes
    reason: str


LATE = Race(frozenset((ATOMIC,)), "Its quorum was bound, but later than the window allows, as on a machine under load.")


@dataclass(frozen=True, slots=True)
class Expected:
    """The verdicts of one integration in one version, as far as they are known."""

    outcomes: Mapping[str, Outcome] = field(default_factory=dict)  # by case
    reasons: Mapping[str, str] = field(default_factory=dict)  # why a case is violated
    unsteady: Mapping[str, str] = field(default_factory=dict)  # why a case is violated at times: a race
    races: tuple[Race, ...] = ()  # those that may strike anywhere, understood from a history


@dataclass(frozen=True, slots=True)
class Difference:
    """A case that ended otherwise than expected."""

    case: str
    integration: str
    expected: str
    seen: str

    def __str__(self) -> str:
        return f"{self.case} ({self.integration}): expected {self.expected}, seen {self.seen}"


def expected_from_data(data: Mapping[str, Any], where: str = "") -> Expected:
    """The verdicts of a file: lists of cases that pass or are not supported, and violations with their reasons.

    `unsteady` is for a race inside the scheduler that was understood from a history: such a case may pass or be
    violated, and its reason says which race it is. `races` are those that may strike in any case, by the checks that
    they break: a case may be violated by one of them if it passes at least twice as often. Whatever we cannot
    explain is a flake of ours and has no place here.
    """
    outcomes: dict[str, Outcome] = {}
    reasons, races = dict(data.get("violated") or {}), dict(data.get(UNSTEADY) or {})
    for outcome in (*LISTS, Outcome.VIOLATED):
        for case in data.get(outcome) or ():
            if case in outcomes:
                raise UsageError(f"{where}: case {case} is both {outcomes[case]} and {outcome}")
            outcomes[case] = outcome
    if twice := sorted(set(races) & set(outcomes)):
        raise UsageError(f"{where}: case {twice[0]} is both {outcomes[twice[0]]} and {UNSTEADY}")
    if unknown := sorted(set(data) - {*LISTS, Outcome.VIOLATED, UNSTEADY, RACES}):
        allowed = ", ".join((*LISTS, Outcome.VIOLATED, UNSTEADY, RACES))
        raise UsageError(f"{where}: unknown key {unknown[0]!r}", hint=f"Allowed: {allowed}.")
    anywhere = tuple(_race(one, where) for one in data.get(RACES) or ())
    return Expected(outcomes, reasons, races, anywhere)


def _race(data: Any, where: str) -> Race:
    if not isinstance(data, Mapping) or set(data) != {"checks", "reason"} or not isinstance(data["checks"], list):
        raise UsageError(f"{where}: not a race: {data!r}", hint="A race is {checks: [atomic, live], reason: why}.")
    return Race(frozenset(data["checks"]), str(data["reason"]))


def as_data(results: Iterable[CaseResult], before: Expected) -> dict[str, Any]:
    """What a run found as the data of a file; what was known of other cases, and why, is kept."""
    found = {result.case: result.outcome for result in results if result.case not in before.unsteady}
    outcomes = {**before.outcomes, **found}
    data: dict[str, Any] = {
        str(outcome): sorted(case for case, found in outcomes.items() if found is outcome) for outcome in LISTS
    }
    violated = sorted(case for case, found in outcomes.items() if found is Outcome.VIOLATED)
    data[str(Outcome.VIOLATED)] = {case: before.reasons.get(case, "") for case in violated}
    if before.unsteady:
        data[UNSTEADY] = dict(before.unsteady)
    if before.races:
        data[RACES] = [{"checks": sorted(race.checks), "reason": race.reason} for race in before.races]
    return data


def differences(results: Iterable[CaseResult], expected: Expected) -> list[Difference]:
    """Every result that is not the expected one; a case that the file does not know is a difference too."""
    found, known = [], list(results)
    rare = {case for case, hit in struck(known, expected).items() if hit.rare}
    for result in known:
        wanted = expected.outcomes.get(result.case)
        if result.case in expected.unsteady and result.outcome in (Outcome.PASS, Outcome.VIOLATED):
            continue
        if result.case in rare:
            continue
        if wanted is not result.outcome:
            said = str(wanted) if wanted is not None else "nothing, for the file does not know it"
            found.append(Difference(result.case, result.integration, said, str(result.outcome)))
    return sorted(set(found), key=lambda one: (one.integration, one.case))


@dataclass(frozen=True, slots=True)
class Struck:
    """A case that should pass and was hit by a known race, as often as it was run."""

    race: Race
    violated: int
    passed: int

    @property
    def rare(self) -> bool:
        """Whether it passes at least twice as often as not: a race, or a slow moment, and nothing worse."""
        return self.passed >= 2 * self.violated


def struck(results: Iterable[CaseResult], expected: Expected) -> dict[str, Struck]:
    """Cases that should pass and of which every violation is one that a known race makes."""
    mine: dict[str, list[CaseResult]] = {}
    for result in results:
        if expected.outcomes.get(result.case) is Outcome.PASS:
            mine.setdefault(result.case, []).append(result)
    found = {}
    for case, all_of_it in mine.items():
        violated = [one for one in all_of_it if one.outcome is Outcome.VIOLATED]
        passed = [one for one in all_of_it if one.outcome is Outcome.PASS]
        broken = {one.check for result in violated for one in result.verdicts if one.outcome is Outcome.VIOLATED}
        races = (LATE, *expected.races) if all(_late(one) for one in violated) else expected.races
        race = next((race for race in races if broken and broken <= race.checks), None)
        if race is not None and len(violated) + len(passed) == len(all_of_it):
            found[case] = Struck(race, len(violated), len(passed))
    return found


def _late(result: CaseResult) -> bool:
    """Whether nothing is wrong but that a gang took longer to come to its quorum than its window allows."""
    broken = [one for one in result.verdicts if one.outcome is Outcome.VIOLATED]
    return all(one.check == ATOMIC and one.figures.get(LEFT_IN_PART) == 0 for one in broken)


def unsteady(results: Iterable[CaseResult]) -> dict[str, list[str]]:
    """Cases of which repeats in one run ended differently, with the outcomes seen."""
    seen: dict[str, set[str]] = {}
    for result in results:
        seen.setdefault(f"{result.case} ({result.integration})", set()).add(str(result.outcome))
    return {case: sorted(outcomes) for case, outcomes in seen.items() if len(outcomes) > 1}
