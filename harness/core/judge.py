"""From verdicts to the outcome of a case.

All checks run over every history. One that had nothing to judge passes, says so, and does not count: a case of which
no check had anything to say is `unknown`, because a history in which nothing happened proves nothing. A case that only
observes (strength OBSERVE) reports what it saw and never a violation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.core.checks import judge_all
from harness.core.history import History
from harness.core.verdict import Outcome, Verdict, worst

OBSERVE = "OBSERVE"


def judge_case(history: History, strength: str = "MUST") -> tuple[Verdict, ...]:
    """Every check's verdict on the history, softened if the case only observes."""
    verdicts = judge_all(history)
    return soften(verdicts) if strength == OBSERVE else verdicts


def spoke(verdict: Verdict) -> bool:
    """The check had something to judge, or could not judge at all."""
    return bool(verdict.figures.get("judged", 1)) or verdict.outcome is not Outcome.PASS


def case_outcome(verdicts: Iterable[Verdict]) -> Outcome:
    """The worst of the checks that had something to judge; `unknown` if none had."""
    found = [verdict.outcome for verdict in verdicts if spoke(verdict)]
    return worst(found) if found else Outcome.UNKNOWN


def soften(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Violations as observations: they pass, keep their witness, and say in `figures["observed"]` what was seen."""
    return tuple(_observed(verdict) if verdict.outcome is Outcome.VIOLATED else verdict for verdict in verdicts)


def _observed(verdict: Verdict) -> Verdict:
    figures = {**verdict.figures, "observed": verdict.reason}
    return replace(verdict, outcome=Outcome.PASS, reason=f"observed: {verdict.reason}", figures=figures)
