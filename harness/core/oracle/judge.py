"""From verdicts to the outcome of a case.

All checks run over every history. One that had nothing to judge passes, says so, and does not count: a case of which
no check had anything to say is `unknown`, because a history in which nothing happened proves nothing. A case that only
observes (strength OBSERVE) reports what it saw and no violation; but that a program crashed is one in any case. A
history that shows what cannot happen is not judged at all: its one verdict is `unknown`, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.core.history.records import History
from harness.core.history.validate import impossible
from harness.core.oracle.checks import crash, judge_all
from harness.core.verdict import Outcome, Verdict, worst

OBSERVE = "OBSERVE"
POSSIBLE = "A history shows only what can happen in a cluster (harness/core/history/validate.py)."


def judge_case(history: History, strength: str = "MUST") -> tuple[Verdict, ...]:
    """Every check's verdict on the history, softened if the case only observes."""
    fault = impossible(history)
    if fault is not None:
        return (Verdict("history", Outcome.UNKNOWN, f"this cannot happen, so nothing is judged: {fault}", POSSIBLE),)
    verdicts = judge_all(history)
    return soften(verdicts) if strength == OBSERVE else verdicts


def needs_stalls(history: History, verdicts: Iterable[Verdict], strength: str = "MUST") -> bool:
    """Whether the case is not violated, and would be if the time of stalls counted."""
    records = tuple(record for record in history.records if record.verb != "stalled")
    if len(records) == len(history.records) or case_outcome(verdicts) is Outcome.VIOLATED:
        return False
    return case_outcome(judge_case(replace(history, records=records), strength)) is Outcome.VIOLATED


def spoke(verdict: Verdict) -> bool:
    """The check had something to judge, or could not judge at all."""
    return bool(verdict.figures.get("judged", 1)) or verdict.outcome is not Outcome.PASS


def case_outcome(verdicts: Iterable[Verdict]) -> Outcome:
    """The worst of the checks that had something to judge; `unknown` if none had."""
    outcomes = [verdict.outcome for verdict in verdicts if spoke(verdict)]
    return worst(outcomes) if outcomes else Outcome.UNKNOWN


def soften(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Violations as observations: they pass, keep their witness, and say in `figures["observed"]` what was seen."""
    return tuple(_observed(verdict) if _is_softened(verdict) else verdict for verdict in verdicts)


def _is_softened(verdict: Verdict) -> bool:
    return verdict.outcome is Outcome.VIOLATED and verdict.check != crash.NAME


def _observed(verdict: Verdict) -> Verdict:
    figures = {**verdict.figures, "observed": verdict.reason}
    return replace(verdict, outcome=Outcome.PASS, reason=f"observed: {verdict.reason}", figures=figures)
