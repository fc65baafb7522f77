"""What a run is expected to find, and where it found something else.

Schedulers have faults, and a suite that is red every day is looked at by nobody. So the verdicts we know are written
down, each violation with its reason, and a run is held against them: a case that passes though it should not is as
much of a difference as one that fails, for it means that somebody fixed something.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.core.errors import UsageError
from harness.core.results import CaseResult
from harness.core.verdict import Outcome

LISTS = (Outcome.PASS, Outcome.NOT_SUPPORTED)


@dataclass(frozen=True, slots=True)
class Expected:
    """The verdicts of one integration in one version, as far as they are known."""

    outcomes: Mapping[str, Outcome] = field(default_factory=dict)  # by case
    reasons: Mapping[str, str] = field(default_factory=dict)  # why a case is violated


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
    """The verdicts of a file: lists of cases that pass or are not supported, and a mapping of violations to reasons."""
    outcomes: dict[str, Outcome] = {}
    reasons = dict(data.get("violated") or {})
    for outcome in (*LISTS, Outcome.VIOLATED):
        for case in data.get(outcome) or ():
            if case in outcomes:
                raise UsageError(f"{where}: case {case} is both {outcomes[case]} and {outcome}")
            outcomes[case] = outcome
    if unknown := set(data) - {*LISTS, Outcome.VIOLATED}:
        raise UsageError(f"{where}: unknown key {sorted(unknown)[0]!r}", hint="Allowed: pass, violated, not-supported.")
    return Expected(outcomes, reasons)


def as_data(results: Iterable[CaseResult], before: Expected) -> dict[str, Any]:
    """What a run found as the data of a file; what was known of other cases, and why, is kept."""
    outcomes = {**before.outcomes, **{result.case: result.outcome for result in results}}
    data: dict[str, Any] = {
        str(outcome): sorted(case for case, found in outcomes.items() if found is outcome) for outcome in LISTS
    }
    violated = sorted(case for case, found in outcomes.items() if found is Outcome.VIOLATED)
    data[str(Outcome.VIOLATED)] = {case: before.reasons.get(case, "") for case in violated}
    return data


def differences(results: Iterable[CaseResult], expected: Expected) -> list[Difference]:
    """Every result that is not the expected one; a case that the file does not know is a difference too."""
    found = []
    for result in results:
        wanted = expected.outcomes.get(result.case)
        if wanted is not result.outcome:
            said = str(wanted) if wanted is not None else "nothing, for the file does not know it"
            found.append(Difference(result.case, result.integration, said, str(result.outcome)))
    return sorted(set(found), key=lambda one: (one.integration, one.case))


def unsteady(results: Iterable[CaseResult]) -> dict[str, list[str]]:
    """Cases of which repeats in one run ended differently, with the outcomes seen."""
    seen: dict[str, set[str]] = {}
    for result in results:
        seen.setdefault(f"{result.case} ({result.integration})", set()).add(str(result.outcome))
    return {case: sorted(outcomes) for case, outcomes in seen.items() if len(outcomes) > 1}
