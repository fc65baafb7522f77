"""No overbooking: at every bind, the requests of the pods on the node fit what the node has to give.

All pods of a node count until they are finished or gone, those being deleted too. Only the bind that makes a node
exceed breaks the law; a node that the case shrinks does not, nor does a bind that was on its way while it shrank
(within the deadline `window`, and fitting what the node had before: the figure `raced`).
"""

from __future__ import annotations

from harness.core.finding import Finding, conclude, passed, unknown, violated
from harness.core.history import History
from harness.core.quantity import plain
from harness.core.replay import timeline
from harness.core.verdict import Verdict

NAME = "overbooking"
LAW = "At every revision the requests of the pods on a node fit what the node has to give."


def judge(history: History) -> Verdict:
    line = timeline(history)
    findings: list[Finding] = []
    for over in line.overflows:
        gang = str(history.records[over.pos].state.get("gang", ""))
        said = (
            f"binding {over.pod} made {over.node} promise {plain(over.used)} {over.resource}, it has {plain(over.room)}"
        )
        findings.append(violated(said, over.pos, gang, until=over.now))
    for node, pos in sorted(line.unseen.items()):
        findings.append(unknown(f"a pod was bound to node {node}, of which the history knows nothing", pos=pos))
    if line.loads and not findings:
        findings.append(passed(f"all {line.loads} binds fitted their nodes"))
    return conclude(NAME, LAW, history, findings, needs=("Pod", "Node"), figures={"raced": line.raced})
