"""Held resources: what a gang below quorum holds is free again within the bound.

For `expect released`: within the time there is a moment at which nothing is held for the gang: no bound placeholder,
and no bound member while it is below quorum. Standing, for every gang with a `timeout`: before it has started it never
holds anything longer than that timeout and the deadline `released` together; time in which the scheduler was down does
not count for that. Pods that are going away still hold. What was held is in the figures of every gang, pass or not.
"""

from __future__ import annotations

from math import inf

from harness.core.deadlines import seconds
from harness.core.history.records import History
from harness.core.oracle.facts import Promise, Step, patience
from harness.core.oracle.figures import gang_figures
from harness.core.oracle.finding import Finding, conclude, passed, unknown, violated
from harness.core.oracle.incarnation import Incarnation
from harness.core.oracle.replay import timeline
from harness.core.oracle.timeline import Timeline
from harness.core.verdict import Verdict

NAME = "held-resources"
LAW = "What a gang holds below quorum is free again within the bound."


def judge(history: History) -> Verdict:
    line = timeline(history)
    bound = seconds(history.header, "released")
    findings: list[Finding] = []
    for promise in line.promised("released"):
        for key in promise.gangs:
            incarnation = line.incarnation(key, promise.pos)
            findings.append(
                _released(line, promise, incarnation, bound) if incarnation is not None else passed("nothing was held")
            )
    for incarnations in line.incarnations.values():
        for incarnation in incarnations:
            if incarnation.gang is not None and incarnation.gang.timeout is not None:
                findings.append(_timed(line, incarnation, incarnation.gang.timeout + bound))
    held = sum(figures["held_gpu_seconds"] for figures in gang_figures(history).values())
    return conclude(NAME, LAW, history, findings, figures={"held_gpu_seconds": round(held, 6)})


def is_free(step: Step) -> bool:
    """No placeholder is bound, and no member of a gang below quorum."""
    return step.standing == (step.members if step.full else 0)


def _released(line: Timeline, promise: Promise, incarnation: Incarnation, bound: float) -> Finding:
    until = line.due(promise, bound)
    last = incarnation.at(promise.pos)
    for step in incarnation.since(promise.pos):
        is_deleted = 0 <= incarnation.ended <= max(step.pos, promise.pos)  # by the case: nothing is judged any more
        if step.now > until or is_deleted:
            break
        last = step
        if is_free(step):
            return passed("everything held was released in time", pos=step.pos, recorded=True)
    if incarnation.ended_at <= until:
        reason = f"the case deleted gang {incarnation.key} before it had to release what it holds"
        return unknown(reason, pos=last.pos)
    if line.end <= until:
        return unknown(f"the history ended before gang {incarnation.key} had to release what it holds", pos=last.pos)
    reason = (
        f"gang {incarnation.key} still held {last.standing} pods {until - promise.now:g} s after it had to release them"
    )
    return violated(reason, max(last.pos, promise.pos), incarnation.key, since=promise.now, until=until)


def _timed(line: Timeline, incarnation: Incarnation, allowed: float) -> Finding:
    """No unbroken hold of a gang that has not started may be longer than allowed."""
    spans = line.spans([incarnation])
    begun: Step | None = None
    started = False
    worst = until = 0.0
    for step in [*incarnation.steps_while_wanted(), None]:
        now = step.now if step is not None else line.end
        if begun is not None and now > until:
            length = f"{now - begun.now:.1f} s, allowed are {allowed:g} s"
            reason = f"gang {incarnation.key} below quorum held resources for {length}"
            last = incarnation.at(step.pos - 1) if step is not None else incarnation.steps[-1]
            return violated(reason, last.pos, incarnation.key, since=begun.now, until=until)
        if begun is not None:
            worst = max(worst, now - begun.now)
        if step is None:
            break
        started = (started or step.full) and step.standing > 0
        if started or step.standing == 0:
            begun = None
        elif begun is None:
            begun, until = step, patience(step.now, allowed, spans)
    if begun is not None and until == inf:
        reason = f"gang {incarnation.key} below quorum holds resources, and a process that it needs never came back"
        return unknown(reason, pos=begun.pos)
    return passed(f"no gang held resources below quorum longer than allowed (at most {worst:.1f} s)")
