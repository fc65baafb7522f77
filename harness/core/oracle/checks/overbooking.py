"""No overbooking: at every bind, the requests of the pods on the node fit what the node has to give.

All pods of a node count until they are finished or gone, those being deleted too, and those of every scheduler and
namespace. Only the bind that makes a node exceed breaks the law; a node that the case shrinks does not. Nor does a bind
that fitted a moment ago (within the deadline `window`): before the node shrank, or before others brought pods to it.
That is the figure `raced`.

A bind to a node that was removed is told as such. It breaks the law if a marker shows that the scheduler had seen the
removal, or if that was longer ago than the deadline `window`; else the scheduler may not have known, and what follows
from that bind is `unknown` in every check. Nothing follows from such a bind of a fence: that it was bound is all that
it is asked, and it takes room from nobody; it is one more that `raced`.
"""

from __future__ import annotations

from harness.core.deadlines import seconds
from harness.core.history.records import History
from harness.core.oracle.facts import patience
from harness.core.oracle.finding import Finding, conclude, passed, unknown, violated
from harness.core.oracle.replay import timeline
from harness.core.quantity import plain
from harness.core.verdict import Verdict

NAME = "overbooking"
LAW = "At every revision the requests of the pods on a node fit what the node has to give."


def judge(history: History) -> Verdict:
    line = timeline(history)
    findings: list[Finding] = []
    raced, window, spans = 0, seconds(history.header, "window"), line.spans()
    for over in line.overflows:
        if over.now <= patience(over.allowed, window, spans):
            raced += 1
            continue
        gang = str(history.records[over.pos].state.get("gang", ""))
        reason = (
            f"binding {over.pod} made {over.node} promise {plain(over.used)} {over.resource}, it has {plain(over.room)}"
        )
        findings.append(violated(reason, over.pos, gang, until=over.now))
    for stray in line.strays:
        gang = str(history.records[stray.pos].state.get("gang", ""))
        before = f"{stray.now - stray.removed.now:.3f} s before"
        reason = f"{stray.pod} was bound to node {stray.node}, which was removed {before}"
        if line.excused(stray, window) and stray.is_evidence:
            raced += 1
        elif line.excused(stray, window):
            findings.append(unknown(f"{reason}: the scheduler may not have known", pos=stray.pos))
        else:
            findings.append(violated(reason, stray.pos, gang, until=stray.now))
    for node, pos in sorted(line.unseen.items()):
        findings.append(unknown(f"a pod was bound to node {node}, of which the history knows nothing", pos=pos))
    if line.loads and not findings:
        findings.append(passed(f"all {line.loads} binds fitted their nodes"))
    return conclude(NAME, LAW, history, findings, needs=("Pod", "Node"), figures={"raced": raced})
