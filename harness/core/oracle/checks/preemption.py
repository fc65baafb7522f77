"""Preemption: nothing is evicted for a gang that then does not start, and a victim gang falls whole.

A victim is a bound pod that the scheduler itself evicted: a condition or an event says so in the words of its
vocabulary (DisruptionTarget, Preempted), or a program that also makes binds deleted or evicted it. Taking back members
of a gang that never had quorum is a rollback, and what the case deletes is no eviction; neither has victims. For each
victim something that was waiting then (a gang, a member of one that runs, or a pod of no gang) must start within the
deadline `start_after_eviction`, which does not count the time in which victims are going and still have their room.
A victim gang with `disruption: gang` is, within the deadline `evicted`, at zero or at quorum once its last victim has
left.
The promise `untouched` is judged here too.

Without an audit log it is not known who deleted a pod. One of the case's pods that is gone then, though neither the
case nor a node that was removed took it and nothing names it as a victim, makes the verdict unknown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from math import inf

from harness.core.deadlines import seconds
from harness.core.history.records import History
from harness.core.labels import PART_LABEL
from harness.core.oracle.facts import Promise, Stall, Start, patience
from harness.core.oracle.finding import Finding, conclude, passed, unknown, violated
from harness.core.oracle.incarnation import Eviction, Incarnation, Pod
from harness.core.oracle.replay import timeline
from harness.core.oracle.timeline import Timeline
from harness.core.verdict import Verdict

NAME = "preemption"
LAW = "Nothing is evicted for a gang that then does not start, and victim gangs fall whole or keep quorum."


def judge(history: History) -> Verdict:
    line = timeline(history)
    victims = line.evictions
    findings = [
        *_needless(line, victims, seconds(history.header, "start_after_eviction")),
        *_whole(line, victims, seconds(history.header, "evicted")),
        *(_unattributed(line, victims) if history.header.get("audit") is False else ()),
    ]
    for promise in line.promised("untouched"):
        for key in promise.gangs:
            incarnation = line.incarnation(key, promise.pos)
            if incarnation is None:
                findings.append(unknown(f"gang {key} was promised to be {promise.what} and never submitted"))
            else:
                findings.append(_untouched(line, victims, promise, incarnation))
    figures = {"victims": len(victims)}
    return conclude(NAME, LAW, history, findings, always=bool(line.incarnations), figures=figures)


def _needless(line: Timeline, victims: Sequence[Eviction], allowed: float) -> Iterator[Finding]:
    spans = line.spans()
    spans = spans._replace(stalls=sorted([*spans.stalls, *_departures(line, victims)]))
    for victim in victims:
        until = patience(victim.now, allowed, spans)
        start = _start(line, victim, until)
        if start is not None:
            yield passed("what victims were evicted for started", pos=start.pos, recorded=True)
        elif line.end <= until:
            yield unknown(f"the history ended before it was clear what {victim.pod} was evicted for", pos=victim.pos)
        elif gang := _withdrawn(line, victim, until):
            yield unknown(f"{victim.pod} was evicted, but the case deleted {gang}, which was waiting", pos=victim.pos)
        else:
            reason = f"{victim.pod} was evicted ({victim.how}) and nothing that was waiting started in {allowed:g} s"
            gang = victim.incarnation.key if victim.incarnation is not None else ""
            yield violated(reason, victim.pos, gang, since=victim.now, until=until)


def _departures(line: Timeline, victims: Sequence[Eviction]) -> Iterator[Stall]:
    """When victims were going, and still had their room: by their grace period, or held by a finalizer."""
    for victim in victims:
        pod = line.pods[victim.uid]
        if pod.left is not None:
            yield Stall(pod.left.now, pod.until.now if pod.until is not None else inf, pod.name)


def _unattributed(line: Timeline, victims: Sequence[Eviction]) -> Iterator[Finding]:
    """Members and pods of no gang of which nobody can say who removed them."""
    explained = {victim.uid for victim in victims}
    for pod in line.pods.values():
        removed = pod.left is not None and not pod.excused and not pod.homeless
        if _is_of_case(pod) and removed and pod.uid not in explained:
            yield unknown(f"{pod.name} was deleted, and without an audit log nobody knows by whom", pos=pod.born)


def _is_of_case(pod: Pod) -> bool:
    """Whether the case has submitted it as a workload; pods of others may be on the nodes too."""
    return pod.part == "member" or (pod.part == "plain" and PART_LABEL in (pod.record.state.get("labels") or {}))


def _start(line: Timeline, victim: Eviction, until: float) -> Start | None:
    """The first start, in time, of something that was already waiting when the victim was evicted."""
    for start in islice(line.starts, bisect_right(line.starts, victim.pos, key=lambda start: start.pos), None):
        if start.now > until:
            break
        if start.since < victim.pos:
            return start
    return None


def _withdrawn(line: Timeline, victim: Eviction, until: float) -> str:
    """What waited when the victim was evicted and was deleted by the case before it had to start."""
    for key, incarnations in line.incarnations.items():
        for incarnation in incarnations:
            waiting = incarnation.begun < victim.pos < incarnation.ended and not incarnation.at(victim.pos - 1).full
            if waiting and incarnation.ended_at <= until:
                return key
    deletions = {action.pos: action.now for action in line.actions}
    for pod in line.pods.values():
        waiting = pod.part == "plain" and pod.incarnation is None and not pod.node and pod.born < victim.pos < pod.taken
        if waiting and deletions[pod.taken] <= until:
            return pod.name
    return ""


def _whole(line: Timeline, victims: Sequence[Eviction], allowed: float) -> Iterator[Finding]:
    """Victim gangs that may only be taken whole."""
    last: dict[int, Eviction] = {}
    for victim in victims:
        if (
            victim.incarnation is not None
            and victim.incarnation.gang is not None
            and victim.incarnation.gang.disruption == "gang"
        ):
            last[id(victim.incarnation)] = victim
    for victim in last.values():
        incarnation = victim.incarnation
        assert incarnation is not None
        until = patience(victim.now, allowed, line.spans([incarnation]))
        steps = [step for step in incarnation.since(victim.pos) if step.now <= until]
        if incarnation.ended >= 0:
            steps = [step for step in steps if step.pos < incarnation.ended]
        left = line.pods[victim.uid].left
        if left is not None and left.now <= until:
            is_whole = any(step.full for step in steps if step.pos >= left.pos)
        else:
            is_whole = steps[-1].full and line.end > until
        if is_whole or any(step.placed == 0 for step in steps):
            yield passed(f"victim gang {incarnation.key} fell whole or kept quorum", pos=steps[-1].pos, until=until)
        elif line.end <= until or incarnation.ended_at <= until:
            yield unknown(f"the history ended before victim gang {incarnation.key} had to be down", pos=steps[-1].pos)
        else:
            reason = (
                f"victim gang {incarnation.key} was left with {steps[-1].placed} members, neither none nor its quorum"
            )
            yield violated(reason, max(steps[-1].pos, victim.pos), incarnation.key, since=victim.now, until=until)


def _untouched(line: Timeline, victims: Sequence[Eviction], promise: Promise, incarnation: Incarnation) -> Finding:
    end, end_at = line.lifted(promise, incarnation.key)
    for victim in victims:
        if victim.incarnation is incarnation and promise.pos < victim.pos < end:
            reason = f"{victim.pod} of gang {incarnation.key} was evicted ({victim.how})"
            return violated(reason, victim.pos, incarnation.key, recorded=True)
    return passed(
        f"gang {incarnation.key} was not touched", pos=promise.pos, since=promise.now, until=min(end_at, line.end)
    )
