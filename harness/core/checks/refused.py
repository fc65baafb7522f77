"""Refused, not ignored: a gang without room binds nothing, and there is evidence that the scheduler looked at it.

For `expect refused`: since the case created the gang, or members of it anew, no member is bound until the refusal is in
evidence, and none is bound when the case says so. Evidence is the scheduler's own word about the member that came last
or a pod that came later still (its PodScheduled=False, or an event), or a fence: a plain pod, submitted after the gang
to the same scheduler, that was bound. What is said of an earlier member, or of the group's object once there are
members, is no evidence: it may be about a part of the gang, decided while the others were on their way. A gang nobody
looked at is `unknown`, not refused.
For `expect unbound`: no member is bound from that moment until the promise is lifted, the case deletes the gang or
the history ends.
"""

from __future__ import annotations

from math import inf

from harness.core.finding import Finding, conclude, passed, unknown, violated
from harness.core.history import History
from harness.core.replay import timeline
from harness.core.timeline import Life, Promise, Timeline
from harness.core.verdict import Verdict

NAME = "refused"
LAW = "A gang without room binds nothing, and there is evidence that the scheduler looked at it."


def judge(history: History) -> Verdict:
    line = timeline(history)
    findings: list[Finding] = []
    for promise in line.promised("refused", "unbound"):
        for key in promise.gangs:
            life = line.life(key, promise.pos)
            if life is None:
                findings.append(unknown(f"gang {key} was promised to be {promise.what} and never submitted"))
            elif promise.what == "refused":
                findings.append(_refused(line, promise, life))
            else:
                findings.append(_unbound(line, promise, life))
    return conclude(NAME, LAW, history, findings)


def _refused(line: Timeline, promise: Promise, life: Life) -> Finding:
    end, end_at = line.lifted(promise, life.key)
    proof = evidence(line, life, promise.pos)
    until = min(proof[0] if proof else inf, end)
    since = max((pos for pos, _ in life.later if pos <= promise.pos), default=life.begun)
    early = next((bind for bind in life.binds if since < bind.pos < until), None)
    if early is None and life.at(promise.pos).placed:  # refused at first, and bound before the case spoke
        early = next(bind for bind in reversed(life.binds) if bind.pos <= promise.pos)
    if early is not None:
        said = f"{early.pod} of gang {life.key} was bound to {early.node}, though the gang has no room"
        return violated(said, early.pos, life.key, seen=True)
    if proof is None or proof[0] > end:
        return unknown(f"gang {life.key} bound nothing, but nothing shows that the scheduler looked at it")
    said = f"gang {life.key} was refused: {proof[1]}"
    return passed(said, pos=proof[0], gang=life.key, since=life.begun_at, until=min(end_at, line.end))


def evidence(line: Timeline, life: Life, index: int) -> tuple[int, str] | None:
    """The record that shows the refusal of the gang as it was at `index`, and what it says: a word, or a fence."""
    said = life.evident(index)
    found = [(said.pos, said.words)] if said is not None else []
    for bound, created, scheduler, pod in line.fences:
        seen = any(step.left for step in life.since(life.begun) if step.pos < created)
        if seen and scheduler in life.schedulers and life.whole(index) < created:
            found.append((bound, f"fence {pod}, submitted later, was bound"))
    return min(found, default=None)


def _unbound(line: Timeline, promise: Promise, life: Life) -> Finding:
    end, end_at = line.lifted(promise, life.key)
    if (start := life.at(promise.pos)).placed:
        last = next((bind for bind in reversed(life.binds) if bind.pos <= promise.pos), None)
        said = f"{start.placed} members of gang {life.key} were bound when none was promised"
        pos = last.pos if last is not None else promise.pos  # the moment to show is the bind, not the promise
        return violated(said, pos, life.key, since=promise.now, until=promise.now)
    late = next((bind for bind in life.binds if promise.pos < bind.pos < end), None)
    if late is not None:
        return violated(f"{late.pod} of gang {life.key} was bound to {late.node}", late.pos, life.key, seen=True)
    return passed(f"gang {life.key} stayed unbound", gang=life.key, since=promise.now, until=min(end_at, line.end))
