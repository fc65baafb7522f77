"""The laws, one small module each, and the one way to apply them all.

Every check has a `NAME`, a `LAW` in one sentence and `judge(history) -> Verdict`. All of them run over every history,
whatever the case asserts. A check that breaks is our fault and never the scheduler's: its verdict is `unknown`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

from harness.core.history.records import History
from harness.core.oracle.checks import (
    assertions,
    atomic,
    barrier,
    cleanup,
    constraints,
    crash,
    held_resources,
    liveness,
    order,
    overbooking,
    preemption,
    refused,
)
from harness.core.verdict import Outcome, Verdict

__all__ = ["CHECKS", "Check", "judge_all", "judge_safely"]


class Check(Protocol):
    """What a module of this package has."""

    NAME: str
    LAW: str
    judge: Callable[[History], Verdict]


CHECKS: tuple[Check, ...] = tuple(
    cast(Check, module)
    for module in (
        atomic,
        refused,
        overbooking,
        constraints,
        held_resources,
        liveness,
        preemption,
        cleanup,
        order,
        barrier,
        crash,
        assertions,
    )
)


def judge_all(history: History) -> tuple[Verdict, ...]:
    """The verdict of every check, in the order of `CHECKS`; never raises."""
    return tuple(judge_safely(check, history) for check in CHECKS)


def judge_safely(check: Check, history: History) -> Verdict:
    """The verdict of one check; `unknown` with the error in words if the check itself fails."""
    try:
        return check.judge(history)
    except Exception as error:
        reason = f"the check failed on this history: {type(error).__name__}: {error}"
        return Verdict(check.NAME, Outcome.UNKNOWN, reason, check.LAW, figures={"judged": 1})
