"""Figures of every gang, pass or not: how far apart its binds were and what it held before it could start.

Two schedulers that both keep the law still differ; these numbers are how a reader compares them.
"""

from __future__ import annotations

from typing import Any

from harness.core.deadlines import seconds
from harness.core.history.records import History
from harness.core.oracle.attempts import Attempt, AttemptOutcome, attempts, gang_course
from harness.core.oracle.incarnation import Incarnation
from harness.core.oracle.replay import timeline
from harness.core.oracle.timeline import Timeline


def gang_figures(history: History) -> dict[str, dict[str, Any]]:
    """For each gang ("namespace/name"): skew, partial holds, binds and rollbacks, over all its incarnations."""
    line = timeline(history)
    window = seconds(history.header, "window")
    return {
        key: _figures(history, line, incarnations, window)
        for key, incarnations in line.incarnations.items()
        if incarnations
    }


def _figures(history: History, line: Timeline, incarnations: list[Incarnation], window: float) -> dict[str, Any]:
    cuts = [incarnation.ended for incarnation in incarnations if incarnation.ended >= 0]
    tries = attempts(gang_course(incarnations), window, line.spans(incarnations), line.end, cuts)
    skews = [_skew(history, attempt) for attempt in tries if attempt.quorum is not None]
    pods, gpus = _partial(incarnations, line.end)
    starts = [attempt.quorum.now for attempt in tries if attempt.quorum is not None]
    last = incarnations[-1]
    return {
        "size": last.size,
        "quorum": last.quorum,
        "skew_ms": max((skew[0] for skew in skews), default=None),
        "skew_revisions": max((skew[1] for skew in skews), default=None),
        "start_ms": round((starts[0] - incarnations[0].begun_at) * 1000, 3) if starts else None,
        "held_pod_seconds": round(pods, 6),
        "held_gpu_seconds": round(gpus, 6),
        "binds": sum(len(incarnation.binds) for incarnation in incarnations),
        "rollbacks": sum(attempt.outcome is AttemptOutcome.ROLLED_BACK for attempt in tries),
    }


def _skew(history: History, attempt: Attempt) -> tuple[float, int]:
    """First bind to quorum bind, in milliseconds and revisions."""
    assert attempt.quorum is not None
    first, last = history.records[attempt.first.pos], history.records[attempt.quorum.pos]
    revisions = last.rev - first.rev if last.rev is not None and first.rev is not None else 0
    return round(max(0.0, last.at - first.at) * 1000, 3), revisions


def _partial(incarnations: list[Incarnation], end: float) -> tuple[float, float]:
    """Pod-seconds and GPU-seconds held by members and placeholders while the gang was below quorum."""
    pods = gpus = 0.0
    for incarnation in incarnations:
        steps = incarnation.steps_while_wanted()
        for i, step in enumerate(steps):
            if step.held and not step.full and incarnation.quorum is not None:
                until = steps[i + 1].now if i + 1 < len(steps) else end
                pods += step.held * (until - step.now)
                gpus += step.gpus * (until - step.now)
    return pods, gpus
