"""Clean: after deletion nothing of the gang is left.

For `expect gone`, and standing for every gang the case deletes: within the time (the deadline `gone`) its members, its
placeholders and its group objects exist no more. Time in which any component was down does not count.
"""

from __future__ import annotations

from harness.core.deadlines import seconds
from harness.core.finding import Finding, conclude, passed, unknown, violated
from harness.core.history import PLAIN_KINDS, History
from harness.core.replay import timeline
from harness.core.timeline import Life, Timeline, patience
from harness.core.verdict import Verdict

NAME = "clean"
LAW = "After its deletion nothing of a gang is left: members, placeholders, group objects."


def judge(history: History) -> Verdict:
    line = timeline(history)
    bound = seconds(history.header, "gone")
    findings: list[Finding] = []
    for promise in line.promised("gone"):
        for key in promise.gangs:
            life = line.life(key, promise.pos)
            until = promise.now + promise.within(bound)
            if life is not None:
                findings.append(_gone(line, life, promise.pos, promise.now, until))
    for lives in line.lives.values():
        for life in lives:
            if life.ended >= 0 and not life.replaced:
                until = patience(life.ended_at, bound, line.spans([life], roles=()))
                findings.append(_gone(line, life, life.ended, life.ended_at, until, standing=True))
    kinds = {record.kind for record in history.records} - PLAIN_KINDS - {""}
    return conclude(NAME, LAW, history, findings, needs=("Pod", *sorted(kinds)))


def _gone(line: Timeline, life: Life, pos: int, since: float, until: float, *, standing: bool = False) -> Finding:
    last = life.at(pos)
    for step in life.since(pos):
        if step.now > until:
            break
        last = step
        if step.left == 0:
            return passed("nothing of a deleted gang was left", pos=step.pos, since=since, until=step.now)
    if line.end <= until:
        if standing:
            return passed("the history ended while deleted gangs still had time to go", pos=last.pos)
        return unknown(f"the history ended before gang {life.key} had to be gone", pos=last.pos)
    said = f"{last.left} objects of gang {life.key} were left {until - since:g} s after it had to go"
    return violated(said, max(last.pos, pos), life.key, since=since, until=until)
