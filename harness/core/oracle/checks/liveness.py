"""Liveness: a gang that fits starts; of gangs that compete, one wins.

For `expect bound`: each gang reaches its quorum within the time (with `all`, every member is placed). For `one-of`:
within the time one of the gangs reaches quorum, and while it stands no member of another is placed.
"""

from __future__ import annotations

from math import inf

from harness.core.deadlines import seconds
from harness.core.history.records import History
from harness.core.oracle.facts import Promise, Step, details
from harness.core.oracle.finding import Finding, conclude, passed, unknown, violated
from harness.core.oracle.incarnation import Incarnation
from harness.core.oracle.replay import timeline
from harness.core.oracle.timeline import Timeline
from harness.core.verdict import Verdict

NAME = "liveness"
LAW = "A gang that fits starts within the deadline, and of gangs that compete exactly one wins."


def judge(history: History) -> Verdict:
    line = timeline(history)
    default = seconds(history.header, "bound")
    findings: list[Finding] = []
    for promise in line.promised("bound", "one-of"):
        incarnations = [line.incarnation(key, promise.pos) for key in promise.gangs]
        submitted = [incarnation for incarnation in incarnations if incarnation is not None]
        until = line.due(promise, default)
        if len(submitted) < len(incarnations):
            findings.append(unknown("a gang was promised to start and never submitted", pos=promise.pos))
        elif promise.what == "bound":
            findings += [_bound(line, promise, incarnation, until) for incarnation in submitted]
        else:
            findings.append(_one_of(line, promise, submitted, until))
    return conclude(NAME, LAW, history, findings)


def _bound(line: Timeline, promise: Promise, incarnation: Incarnation, until: float) -> Finding:
    whole = bool(details(promise, "all"))
    needed = incarnation.size if whole else incarnation.quorum or incarnation.size
    last = incarnation.at(promise.pos)
    for step in incarnation.since(promise.pos):
        is_deleted = (
            0 <= incarnation.ended <= max(step.pos, promise.pos)
        )  # by the case: what comes after it is no start
        if step.now > until or is_deleted:
            break
        last = step
        if step.placed >= needed if whole else step.full:
            return passed("every gang that fits started in time", pos=step.pos, recorded=True)
    short = f"gang {incarnation.key} had {last.placed} of {needed} members"
    if incarnation.ended >= 0 and incarnation.ended_at <= until:
        return unknown(f"{short} when the case deleted it, before its time to start was over", pos=last.pos)
    if line.end <= until:
        return unknown(f"the history ended before the time of gang {incarnation.key} to start was over", pos=last.pos)
    reason = f"{short} {until - promise.now:g} s after it was promised to start"
    return violated(reason, max(last.pos, promise.pos), incarnation.key, since=promise.now, until=until)


def _one_of(line: Timeline, promise: Promise, incarnations: list[Incarnation], until: float) -> Finding:
    winners = [
        (max(step.pos, promise.pos), n, step)
        for n, incarnation in enumerate(incarnations)
        if (step := _quorum(promise, incarnation, until)) is not None
    ]
    names = ", ".join(incarnation.key for incarnation in incarnations)
    if not winners:
        return _nobody_won(line, promise, incarnations, until)
    first, n, step = min(winners)
    winner = incarnations[n]
    over, over_at = _finished(winner, first)
    for other in incarnations:
        if other is winner:
            continue
        for late in _while_wanted(other, first):
            pos = max(late.pos, first)
            if late.placed and late.now <= until and pos < over:
                reason = f"gang {winner.key} won, yet {late.placed} members of gang {other.key} are bound beside it"
                return violated(reason, pos, other.key, since=step.now, until=late.now)
    end = min(until, over_at, line.end)
    return passed(f"of {names} exactly one started: {winner.key}", pos=first, since=promise.now, until=end)


def _nobody_won(line: Timeline, promise: Promise, incarnations: list[Incarnation], until: float) -> Finding:
    names = ", ".join(incarnation.key for incarnation in incarnations)
    if line.end <= until:
        return unknown(f"the history ended before one of {names} had to start", pos=promise.pos)
    if all(incarnation.ended_at <= until for incarnation in incarnations):
        return unknown(f"the case deleted {names} before one of them had to start", pos=promise.pos)
    worst = max(incarnations, key=lambda incarnation: _at_time(incarnation, until).placed)
    reason = f"none of {names} started within {until - promise.now:g} s"
    pos = max(promise.pos, _at_time(worst, until).pos)
    return violated(reason, pos, worst.key, since=promise.now, until=until)


def _quorum(promise: Promise, incarnation: Incarnation, until: float) -> Step | None:
    steps = _while_wanted(incarnation, promise.pos)
    return next((step for step in steps if step.full and step.now <= until), None)


def _while_wanted(incarnation: Incarnation, pos: int) -> list[Step]:
    """The counters at that record and every later change of them, until the case deletes the gang."""
    end = incarnation.ended if incarnation.ended >= 0 else inf
    return [step for step in incarnation.since(pos) if max(step.pos, pos) < end]


def _at_time(incarnation: Incarnation, until: float) -> Step:
    return next((step for step in reversed(incarnation.steps) if step.now <= until), incarnation.at(incarnation.begun))


def _finished(winner: Incarnation, pos: int) -> tuple[float, float]:
    """Record and time at which the winner no longer occupies its room (no quorum of it stands); infinite if never."""
    steps = _while_wanted(winner, pos)
    last = next((step for step in steps if not step.stands), None)
    if last is not None:
        return max(last.pos, pos), last.now
    return (winner.ended, winner.ended_at) if winner.ended >= 0 else (inf, inf)
