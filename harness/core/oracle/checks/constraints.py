"""Hard constraints: at its bind, a pod is where its own demands and those of others allow it to be.

These are node selector and required node affinity, taints (NoSchedule and NoExecute) and cordons, required affinity,
anti-affinity of both sides, spread with DoNotSchedule, host ports, volumes that can be used on the node, and devices
that were given to the pod there. Only the bind counts: what changes later evicts nobody. A bind that was right a moment
ago (within the deadline `window`) is the figure `raced`: no scheduler can know. Affinity and spread may be met by binds
that follow within the window. Histories that do not keep the constraints of pods are not judged.
"""

from __future__ import annotations

from harness.core.deadlines import seconds
from harness.core.history.records import ALLOCATIONS, History
from harness.core.oracle.facts import Breach, patience
from harness.core.oracle.finding import Finding, conclude, passed, unknown, violated
from harness.core.oracle.replay import timeline
from harness.core.verdict import Verdict

NAME = "constraints"
LAW = "At its bind, every pod satisfies its own hard constraints and those of the pods around it."


def judge(history: History) -> Verdict:
    judged, raced = findings(history)
    return conclude(NAME, LAW, history, judged, needs=("Pod", "Node", *ALLOCATIONS), figures={"raced": raced})


def findings(history: History) -> tuple[list[Finding], int]:
    """Every bind that was wrong or cannot be told, or one finding that all were right; and how many were races."""
    line = timeline(history)
    window, spans = seconds(history.header, "window"), line.spans()
    judged: list[Finding] = []
    raced = 0
    for breach in line.breaches:
        if breach.now <= patience(breach.allowed, window, spans):
            raced += 1
        else:
            judged.append(_broken(history, breach, breach.now))
    for unmet in line.unmet:
        breach = unmet.breach
        until = patience(breach.now, window, spans)
        if unmet.over <= min(until, line.end):
            continue
        if breach.now <= patience(breach.allowed, window, spans):
            raced += 1
        elif line.end <= until:
            reason = f"the history ended before what {breach.pod} demands had to be met: {breach.why}"
            judged.append(unknown(reason, pos=breach.pos))
        else:
            judged.append(_broken(history, breach, until))
    if line.constrained and not judged:
        judged.append(passed(f"all {line.constrained} binds kept the constraints of their pods"))
    return judged, raced


def _broken(history: History, breach: Breach, until: float) -> Finding:
    gang = str(history.records[breach.pos].state.get("gang", ""))
    return violated(f"{breach.pod} was bound to {breach.node}: {breach.why}", breach.pos, gang, until=until)
