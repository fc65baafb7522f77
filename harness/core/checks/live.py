"""Live: a gang that fits starts; of gangs that compete, one wins.

For `expect bound`: each gang reaches its quorum within the time (with `all`, every member is placed). For `one-of`:
within the time one of the gangs reaches quorum, and while it stands no member of another is bound.
"""

from __future__ import annotations

from harness.core.deadlines import seconds
from harness.core.finding import Finding, conclude, passed, unknown, violated
from harness.core.history import History
from harness.core.replay import timeline
from harness.core.timeline import Life, Promise, Step, Timeline, details
from harness.core.verdict import Verdict

NAME = "live"
LAW = "A gang that fits starts within the deadline, and of gangs that compete exactly one wins."


def judge(history: History) -> Verdict:
    line = timeline(history)
    default = seconds(history.header, "bound")
    findings: list[Finding] = []
    for promise in line.promised("bound", "one-of"):
        lives = [line.life(key, promise.pos) for key in promise.gangs]
        known = [life for life in lives if life is not None]
        until = promise.now + promise.within(default)
        if len(known) < len(lives):
            findings.append(unknown("a gang was promised to start and never submitted", pos=promise.pos))
        elif promise.what == "bound":
            findings += [_bound(line, promise, life, until) for life in known]
        else:
            findings.append(_one_of(line, promise, known, until))
    return conclude(NAME, LAW, history, findings)


def _bound(line: Timeline, promise: Promise, life: Life, until: float) -> Finding:
    whole = bool(details(promise, "all"))
    wanted = life.size if whole else life.quorum or life.size
    last = life.at(promise.pos)
    for step in life.since(promise.pos):
        if step.now > until:
            break
        last = step
        if step.placed >= wanted if whole else step.full:
            return passed("every gang that fits started in time", pos=step.pos, seen=True)
    short = f"gang {life.key} had {last.placed} of {wanted} members"
    if life.ended >= 0 and life.ended_at <= until:
        return unknown(f"{short} when the case deleted it, before its time to start was over", pos=last.pos)
    if line.end <= until:
        return unknown(f"the history ended before the time of gang {life.key} to start was over", pos=last.pos)
    said = f"{short} {until - promise.now:g} s after it was promised to start"
    return violated(said, max(last.pos, promise.pos), life.key, since=promise.now, until=until)


def _one_of(line: Timeline, promise: Promise, lives: list[Life], until: float) -> Finding:
    won = [(step.pos, n, step) for n, life in enumerate(lives) if (step := _quorum(promise, life, until)) is not None]
    names = ", ".join(life.key for life in lives)
    if not won:
        if line.end <= until:
            return unknown(f"the history ended before one of {names} had to start", pos=promise.pos)
        worst = max(lives, key=lambda life: _by(life, until).placed)
        said = f"none of {names} started within {until - promise.now:g} s"
        pos = max(promise.pos, _by(worst, until).pos)
        return violated(said, pos, worst.key, since=promise.now, until=until)
    first, n, step = min(won)
    winner = lives[n]
    over = min(until, _finished(winner, first), line.end)
    for other in lives:
        if other is winner:
            continue
        for late in other.since(first):
            if late.placed and late.now <= over:
                said = f"gang {winner.key} won, yet {late.placed} members of gang {other.key} are bound beside it"
                return violated(said, max(late.pos, first), other.key, since=step.now, until=late.now)
    if line.end < over:
        return unknown(f"the history ended while {winner.key} had to stand alone", pos=first)
    return passed(f"of {names} exactly one started: {winner.key}", pos=first, since=promise.now, until=over)


def _quorum(promise: Promise, life: Life, until: float) -> Step | None:
    return next((step for step in life.since(promise.pos) if step.full and step.now <= until), None)


def _by(life: Life, until: float) -> Step:
    return next((step for step in reversed(life.steps) if step.now <= until), life.at(life.begun))


def _finished(life: Life, pos: int) -> float:
    """When the winner no longer occupies its room: fewer of its pods stand than its quorum."""
    for step in life.since(pos)[1:]:
        if step.standing < (life.quorum or 1):
            return step.now
    return life.ended_at
