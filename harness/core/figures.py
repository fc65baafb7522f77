"""Figures of every gang, pass or not: how far apart its binds were and what it held before it could start.

Two schedulers that both keep the law still differ; these numbers are how a reader compares them.
"""

from __future__ import annotations

from typing import Any

from harness.core.deadlines import seconds
from harness.core.episodes import Episode, Fate, episodes, gang_course
from harness.core.history import History
from harness.core.replay import timeline
from harness.core.timeline import Life, Timeline


def gang_figures(history: History) -> dict[str, dict[str, Any]]:
    """For each gang ("namespace/name"): skew, partial holds, binds and rollbacks, over all its lives."""
    line = timeline(history)
    window = seconds(history.header, "window")
    return {key: _figures(history, line, lives, window) for key, lives in line.lives.items() if lives}


def _figures(history: History, line: Timeline, lives: list[Life], window: float) -> dict[str, Any]:
    cuts = [life.ended for life in lives if life.ended >= 0]
    found = episodes(gang_course(lives), window, line.spans(lives), line.end, cuts)
    skews = [_skew(history, one) for one in found if one.quorum is not None]
    pods, gpus = _partial(lives, line.end)
    starts = [one.quorum.now for one in found if one.quorum is not None]
    last = lives[-1]
    return {
        "size": last.size,
        "quorum": last.quorum,
        "skew_ms": max((skew[0] for skew in skews), default=None),
        "skew_revisions": max((skew[1] for skew in skews), default=None),
        "start_ms": round((starts[0] - lives[0].begun_at) * 1000, 3) if starts else None,
        "held_pod_seconds": round(pods, 6),
        "held_gpu_seconds": round(gpus, 6),
        "binds": sum(len(life.binds) for life in lives),
        "rollbacks": sum(one.fate is Fate.ROLLED_BACK for one in found),
    }


def _skew(history: History, episode: Episode) -> tuple[float, int]:
    """First bind to quorum bind, in milliseconds and revisions."""
    assert episode.quorum is not None
    first, last = history.records[episode.first.pos], history.records[episode.quorum.pos]
    revisions = last.rev - first.rev if last.rev is not None and first.rev is not None else 0
    return round(max(0.0, last.at - first.at) * 1000, 3), revisions


def _partial(lives: list[Life], end: float) -> tuple[float, float]:
    """Pod-seconds and GPU-seconds held by members and placeholders while the gang was below quorum."""
    pods = gpus = 0.0
    for life in lives:
        steps = life.course()
        for i, step in enumerate(steps):
            if step.held and not step.full and life.quorum is not None:
                until = steps[i + 1].now if i + 1 < len(steps) else end
                pods += step.held * (until - step.now)
                gpus += step.gpus * (until - step.now)
    return pods, gpus
