"""Refused, not ignored: a gang without room binds nothing, and there is evidence that the scheduler looked at it.

For `expect refused`: since the case created the gang, or members again, no member is bound until the refusal is in
evidence, and none is bound when the case makes the promise. Evidence is what the scheduler itself wrote about the
member that came last or a pod that came later still (its PodScheduled=False, or an event), or a fence: a plain pod,
submitted after the gang to the same scheduler, that was bound. (If a queue lets gangs in before a scheduler places
them, a fence may pass the gang between the two; it counts if it was submitted when all members had been handed over to
the scheduler, or if the gang had not been let in when the fence was bound.) What is written of an earlier member, or of
the group's object once there are members, is no evidence: it may be about a part of the gang, decided while the others
were on their way (an integration may state in its vocabulary that its group objects tell of all members). A gang that
no scheduler looked at is `unknown`, not refused.
For `expect unbound`: no member is bound from that moment until the promise is lifted, the case deletes the gang or
the history ends.
"""

from __future__ import annotations

from math import inf

from harness.core.history.records import History
from harness.core.oracle.facts import Promise
from harness.core.oracle.finding import Finding, conclude, passed, unknown, violated
from harness.core.oracle.incarnation import Incarnation
from harness.core.oracle.replay import timeline
from harness.core.oracle.timeline import Timeline
from harness.core.verdict import Verdict

NAME = "refused"
LAW = "A gang without room binds nothing, and there is evidence that the scheduler looked at it."


def judge(history: History) -> Verdict:
    line = timeline(history)
    findings: list[Finding] = []
    for promise in line.promised("refused", "unbound"):
        for key in promise.gangs:
            incarnation = line.incarnation(key, promise.pos)
            if incarnation is None:
                findings.append(unknown(f"gang {key} was promised to be {promise.what} and never submitted"))
            elif promise.what == "refused":
                findings.append(_refused(line, promise, incarnation))
            else:
                findings.append(_unbound(line, promise, incarnation))
    return conclude(NAME, LAW, history, findings)


def _refused(line: Timeline, promise: Promise, incarnation: Incarnation) -> Finding:
    end, end_at = line.lifted(promise, incarnation.key)
    proof = evidence(line, incarnation, promise.pos)
    until = min(proof[0] if proof else inf, end)
    since = incarnation.created(promise.pos)
    early = next((bind for bind in incarnation.binds if since < bind.pos < until), None)
    if early is None and _placed(promise, incarnation):  # refused at first, and bound before the promise
        early = next(bind for bind in reversed(incarnation.binds) if bind.pos <= promise.pos)
    if early is not None:
        reason = f"{early.pod} of gang {incarnation.key} was bound to {early.node}, though the gang has no room"
        return violated(reason, early.pos, incarnation.key, recorded=True)
    if proof is None or proof[0] > end:
        return unknown(f"gang {incarnation.key} bound nothing, but nothing shows that the scheduler looked at it")
    reason = f"gang {incarnation.key} was refused: {proof[1]}"
    return passed(reason, pos=proof[0], gang=incarnation.key, since=incarnation.begun_at, until=min(end_at, line.end))


def evidence(line: Timeline, incarnation: Incarnation, index: int) -> tuple[int, str] | None:
    """The record that shows the refusal of the gang as it was at `index`, with a sentence: a refusal, or a fence."""
    refusal = incarnation.evident(index)
    proofs = [(refusal.pos, refusal.sentence)] if refusal is not None else []
    whole = (
        incarnation.whole(index) if incarnation.arrivals else min((pod.born for pod in incarnation.pods), default=inf)
    )
    complete = max(incarnation.present, whole, incarnation.created(index))
    for bound, created, scheduler, pod in line.fences:
        if max(complete, incarnation.handed_over(bound)) < created and scheduler in incarnation.schedulers:
            proofs.append((bound, f"fence {pod}, submitted later, was bound"))
    return min(proofs, default=None)


def _placed(promise: Promise, incarnation: Incarnation) -> int:
    """How many members are placed when the promise is made; of a gang that the case has deleted none counts."""
    return 0 if 0 <= incarnation.ended < promise.pos else incarnation.at(promise.pos).placed


def _unbound(line: Timeline, promise: Promise, incarnation: Incarnation) -> Finding:
    end, end_at = line.lifted(promise, incarnation.key)
    if placed := _placed(promise, incarnation):
        last = next((bind for bind in reversed(incarnation.binds) if bind.pos <= promise.pos), None)
        reason = f"{placed} members of gang {incarnation.key} were bound when none was promised"
        pos = last.pos if last is not None else promise.pos  # the moment to show is the bind, not the promise
        return violated(reason, pos, incarnation.key, since=promise.now, until=promise.now)
    late = next((bind for bind in incarnation.binds if promise.pos < bind.pos < end), None)
    if late is not None:
        return violated(
            f"{late.pod} of gang {incarnation.key} was bound to {late.node}", late.pos, incarnation.key, recorded=True
        )
    return passed(
        f"gang {incarnation.key} stayed unbound", gang=incarnation.key, since=promise.now, until=min(end_at, line.end)
    )
