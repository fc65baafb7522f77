"""No needless victims: nothing is evicted for a gang that then does not start, and a victim gang falls whole.

A victim is a bound pod the scheduler itself put out: the DisruptionTarget condition or an event that says so
(Preempted, Evict), or a delete or eviction by a program that also makes binds. Taking back members of a gang that never
had quorum is a rollback, and what the case deletes is its own business; neither has victims. For each victim something
that was waiting then (a gang, or a pod of no gang) must start within the deadline `start_after_eviction`. A victim gang
with `disruption: gang` is, within the deadline `evicted`, at zero or at quorum. And the promises `evicted` and
`untouched`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

from harness.core.deadlines import seconds
from harness.core.finding import Finding, conclude, passed, unknown, violated
from harness.core.history import History
from harness.core.replay import timeline
from harness.core.timeline import Eviction, Life, Promise, Start, Timeline, details, patience
from harness.core.verdict import Verdict

NAME = "victims"
LAW = "Nothing is evicted for a gang that then does not start, and victim gangs fall whole or keep quorum."


def judge(history: History) -> Verdict:
    line = timeline(history)
    within = seconds(history.header, "evicted")
    findings = [*_needless(line, seconds(history.header, "start_after_eviction")), *_whole(line, within)]
    for promise in line.promised("evicted", "untouched"):
        for key in promise.gangs:
            life = line.life(key, promise.pos)
            if life is None:
                findings.append(unknown(f"gang {key} was promised to be {promise.what} and never submitted"))
            else:
                judged = _evicted(line, promise, life, within) if promise.what == "evicted" else None
                findings.append(judged or _untouched(line, promise, life))
    figures = {"victims": len(line.evictions)}
    return conclude(NAME, LAW, history, findings, always=bool(line.lives), figures=figures)


def _needless(line: Timeline, allowed: float) -> Iterator[Finding]:
    spans = line.spans()
    for victim in line.evictions:
        until = patience(victim.now, allowed, spans)
        start = _start(line, victim, until)
        if start is not None:
            yield passed("whoever victims fell for started", pos=start.pos, seen=True)
        elif line.end <= until:
            yield unknown(f"the history ended before it was clear what {victim.pod} was evicted for", pos=victim.pos)
        elif gone := _withdrawn(line, victim, until):
            yield unknown(f"{victim.pod} was evicted, but the case deleted {gone}, which was waiting", pos=victim.pos)
        else:
            said = f"{victim.pod} was evicted ({victim.how}) and nothing that was waiting started in {allowed:g} s"
            gang = victim.life.key if victim.life is not None else ""
            yield violated(said, victim.pos, gang, since=victim.now, until=until)


def _start(line: Timeline, victim: Eviction, until: float) -> Start | None:
    """The first start, in time, of somebody who was already waiting when the victim fell."""
    for start in islice(line.starts, bisect_right(line.starts, victim.pos, key=lambda one: one.pos), None):
        if start.now > until:
            break
        if start.since < victim.pos:
            return start
    return None


def _withdrawn(line: Timeline, victim: Eviction, until: float) -> str:
    """A gang that waited when the victim fell and was deleted by the case before it had to start."""
    for key, lives in line.lives.items():
        for life in lives:
            waiting = life.begun < victim.pos < life.ended and not life.at(victim.pos).full
            if waiting and life.ended_at <= until:
                return key
    return ""


def _whole(line: Timeline, allowed: float) -> Iterator[Finding]:
    """Victim gangs that may only be taken whole."""
    last: dict[int, Eviction] = {}
    for victim in line.evictions:
        if victim.life is not None and victim.life.gang is not None and victim.life.gang.disruption == "gang":
            last[id(victim.life)] = victim
    for victim in last.values():
        life = victim.life
        assert life is not None
        until = patience(victim.now, allowed, line.spans([life]))
        steps = [step for step in life.since(victim.pos) if step.now <= until]
        if any(step.placed == 0 for step in steps) or (steps[-1].full and line.end > until):
            yield passed(f"victim gang {life.key} fell whole or kept quorum", pos=steps[-1].pos, until=until)
        elif line.end <= until or life.ended_at <= until:
            yield unknown(f"the history ended before victim gang {life.key} had to be down", pos=steps[-1].pos)
        else:
            said = f"victim gang {life.key} was left with {steps[-1].placed} members, neither none nor its quorum"
            yield violated(said, max(steps[-1].pos, victim.pos), life.key, since=victim.now, until=until)


def _evicted(line: Timeline, promise: Promise, life: Life, default: float) -> Finding:
    until = promise.now + promise.within(default)
    lost = {one.uid: one for one in line.evictions if one.life is life and one.pos > promise.pos and one.now <= until}
    wanted = (life.at(promise.pos).placed or life.size) if details(promise, "all") else 1
    if len(lost) >= wanted:
        return passed(f"gang {life.key} lost {len(lost)} members to the scheduler", pos=promise.pos, seen=True)
    said = f"gang {life.key} lost {len(lost)} of {wanted} members to the scheduler"
    if line.end <= until:
        return unknown(f"{said}, and the history ended before the time was over", pos=promise.pos)
    return violated(f"{said} within {until - promise.now:g} s", promise.pos, life.key, since=promise.now, until=until)


def _untouched(line: Timeline, promise: Promise, life: Life) -> Finding:
    end, end_at = line.lifted(promise, life.key)
    for one in line.evictions:
        if one.life is life and promise.pos < one.pos < end:
            return violated(f"{one.pod} of gang {life.key} was evicted ({one.how})", one.pos, life.key, seen=True)
    return passed(f"gang {life.key} was not touched", pos=promise.pos, since=promise.now, until=min(end_at, line.end))
