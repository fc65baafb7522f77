"""Start order: no member of a later gang is bound before the earlier ones reached quorum.

For `expect order`: `gangs` are in the order in which they must start, as a dependsOn or a startup policy asks.
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

NAME = "order"
LAW = "No member of a later gang is bound before the earlier gangs have reached quorum."


def judge(history: History) -> Verdict:
    line = timeline(history)
    return conclude(NAME, LAW, history, [_ordered(line, promise) for promise in line.promised("order")])


def _ordered(line: Timeline, promise: Promise) -> Finding:
    submitted = (line.incarnation(key, promise.pos) for key in promise.gangs)
    incarnations = [incarnation for incarnation in submitted if incarnation is not None]
    if len(incarnations) < len(promise.gangs):
        return unknown("a gang was promised to start in order and never submitted", pos=promise.pos)
    early: list[tuple[int, str, Incarnation, Incarnation]] = []
    for n, incarnation in enumerate(incarnations):
        for before in incarnations[:n]:
            reached = _reached(before)
            early += [(bind.pos, bind.pod, incarnation, before) for bind in incarnation.binds[:1] if bind.pos < reached]
    if early:
        pos, pod, incarnation, before = min(early, key=lambda entry: entry[0])
        reason = f"{pod} of gang {incarnation.key} was bound while gang {before.key} had not reached quorum"
        return violated(reason, pos, incarnation.key, until=line.end)
    return passed(
        "gangs started in the order promised: " + ", ".join(incarnation.key for incarnation in incarnations),
        until=line.end,
    )


def _reached(incarnation: Incarnation) -> float:
    return next((step.pos for step in incarnation.steps if step.full), inf)
