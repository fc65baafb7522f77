"""Claims: what the case saw for itself held.

Some promises are not in any object (a container's output, an answer of an endpoint, the content of a hostfile). The
case looks, and writes down the sentence, whether it held, and what it saw; this check brings it into the verdict.
"""

from __future__ import annotations

from harness.core.finding import Finding, conclude, passed, unknown, violated
from harness.core.history import History
from harness.core.replay import timeline
from harness.core.verdict import Verdict

NAME = "claims"
LAW = "Everything the case looked at for itself was as it must be."


def judge(history: History) -> Verdict:
    findings: list[Finding] = []
    for pos, record in timeline(history).claims:
        sentence, held = str(record.state.get("sentence", "")), record.state.get("held")
        detail = str(record.state.get("detail") or "")
        said = f"{sentence}: {detail}" if detail else sentence
        if held is True:
            findings.append(passed(sentence, pos=pos, seen=True))
        elif held is False:
            findings.append(violated(f"not so: {said}", pos, _gang(record.namespace, record.name), seen=True))
        else:
            findings.append(unknown(f"could not be seen: {said}", pos=pos))
    return conclude(NAME, LAW, history, findings, needs=())


def _gang(namespace: str, name: str) -> str:
    return f"{namespace}/{name}" if namespace and name else ""
