"""The programme's own tests, answered by the cases of a run.

CNCF AI conformance asks for one test, TestGangScheduling, with a positive and a negative part: a job that fits runs, a
job that does not fit as a whole has no pod started. Many core cases of muster are about either. A part passes if one of
them passed and none failed; it is skipped if none was run. Extended cases ask for more than the programme does; they
are tests of their own beside it. Gangs that a queue or a quota refuses are no evidence here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.core.results import CaseResult
from harness.core.verdict import Outcome, worst

TEST = "TestGangScheduling"
DECISIVE = frozenset(("GANG-CORE", "KAR-0053"))  # profiles in which gangs are refused for lack of room, not by a quota
PARTS = {  # name of the part -> the promise that a case must have made, and the clauses that it must be about
    "PositiveGangScheduling": ("bound", frozenset(("KAR-0053-1", "GANG-01"))),
    "NegativeGangScheduling": ("refused", frozenset(("KAR-0053-2", "GANG-02"))),
}


@dataclass(frozen=True, slots=True)
class Part:
    """A test of the programme, and the cases that answer it."""

    name: str
    outcome: Outcome
    cases: tuple[CaseResult, ...]

    @property
    def seconds(self) -> float:
        return sum(case.seconds for case in self.cases)

    @property
    def lines(self) -> list[str]:
        """What answers it, case by case."""
        return [f"{case.case}: {case.outcome}" for case in self.cases] or ["no case of the run is about this"]


def programme_tests(cases: Sequence[CaseResult]) -> list[Part]:
    """The test and its two parts; the test passes if both do."""
    parts = [_part(name, *demand, cases) for name, demand in PARTS.items()]
    outcomes = {part.outcome for part in parts}
    whole = Outcome.NOT_SUPPORTED if Outcome.NOT_SUPPORTED in outcomes else Outcome.PASS
    bad = [outcome for outcome in outcomes if outcome.is_bad]
    return [Part(TEST, worst(bad) if bad else whole, ()), *parts]


def _part(name: str, promise: str, clauses: frozenset[str], cases: Sequence[CaseResult]) -> Part:
    answers = tuple(
        case
        for case in cases
        if case.profile in DECISIVE
        and case.level == "core"
        and not clauses.isdisjoint(case.clauses)
        and case.outcome is not Outcome.NOT_SUPPORTED
        and (promise in case.promises or case.outcome.is_bad)
    )
    outcome = worst(case.outcome for case in answers) if answers else Outcome.NOT_SUPPORTED
    return Part(f"{TEST}/{name}", outcome, answers)
