"""Cleanup: after deletion nothing of the gang is left.

For `expect gone`, and standing for every gang the case deletes: within the time (the deadline `gone`) its members, its
placeholders and its group objects exist no more. Where nobody promised it, time in which any component was down does
not count.
"""

from __future__ import annotations

from math import inf

from harness.core.deadlines import seconds
from harness.core.history.records import History
from harness.core.oracle.facts import patience
from harness.core.oracle.finding import Finding, conclude, passed, unknown, violated
from harness.core.oracle.incarnation import Incarnation
from harness.core.oracle.replay import timeline
from harness.core.oracle.timeline import Timeline
from harness.core.verdict import Verdict

NAME = "cleanup"
LAW = "After its deletion nothing of a gang is left: members, placeholders, group objects."


def judge(history: History) -> Verdict:
    line = timeline(history)
    bound = seconds(history.header, "gone")
    findings: list[Finding] = []
    for promise in line.promised("gone"):
        for key in promise.gangs:
            incarnation = line.incarnation(key, promise.pos)
            until = line.due(promise, bound)
            if incarnation is not None:
                findings.append(_gone(line, incarnation, promise.pos, promise.now, until))
    for incarnations in line.incarnations.values():
        for incarnation in incarnations:
            if incarnation.ended >= 0 and not incarnation.replaced:
                until = patience(incarnation.ended_at, bound, line.spans([incarnation], roles=()))
                findings.append(_gone(line, incarnation, incarnation.ended, incarnation.ended_at, until, standing=True))
    return conclude(NAME, LAW, history, findings, needs=("Pod", *sorted(line.kinds)))


def _gone(
    line: Timeline, incarnation: Incarnation, pos: int, since: float, until: float, *, standing: bool = False
) -> Finding:
    last = incarnation.at(pos)
    for step in incarnation.since(pos):
        if step.now > until:
            break
        last = step
        if step.left == 0:
            return passed("nothing of a deleted gang was left", pos=step.pos, since=since, until=step.now)
    if line.end <= until:
        if standing and until < inf:
            return passed("the history ended while deleted gangs still had time to go", pos=last.pos)
        if until == inf:
            reason = f"gang {incarnation.key} had to be gone, and a process that never came back may have to do that"
            return unknown(reason, pos=last.pos)
        return unknown(f"the history ended before gang {incarnation.key} had to be gone", pos=last.pos)
    reason = f"{last.left} objects of gang {incarnation.key} were left {until - since:g} s after it had to go"
    return violated(reason, max(last.pos, pos), incarnation.key, since=since, until=until)
