"""Large correct histories without a cluster, to measure the speed of judging.

`muster bench history` and people who change a check need a history of 10,000 pods on 1,000 nodes in seconds. This is
the history of a correct gang scheduler: gangs are submitted, their first member is refused once, all are bound whole,
run, finish and are deleted. The same numbers give the same history: nothing here is random.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.core.deadlines import scaled
from harness.core.gang import GPU, Gang
from harness.core.history.observe import changes
from harness.core.history.records import History, Record, header
from harness.core.labels import GANG_LABEL
from harness.core.quantity import millis

_BEGAN = 1_700_000_000.0
_SPACE = "load"
_AGENT = "synthetic-scheduler/v1 (linux/amd64) synthetic"
_NO = ["False", "Unschedulable", "0/1000 nodes are available: 1000 Insufficient nvidia.com/gpu."]
_TOLERATIONS = ["node.kubernetes.io/not-ready:NoExecute", "node.kubernetes.io/unreachable:NoExecute"]
_YES = ["True", "", ""]


def history(pods: int = 10_000, nodes: int = 1_000, gang: int = 8, gpus: int = 16) -> History:
    """About seven records per pod; the nodes have resources for all pods at once."""
    return History(header("synthetic", started=_BEGAN, deadlines=scaled()), tuple(_records(pods, nodes, gang, gpus)))


def _records(pods: int, nodes: int, size: int, gpus: int) -> Iterator[Record]:
    writer = _Writer()
    room = {"cpu": "64", "memory": "256Gi", GPU: str(gpus), "pods": "110"}
    for n in range(nodes):
        yield writer.watch("Node", f"node-{n:04}", {"allocatable": millis(room), "ready": True})
    placed = 0
    batch = 32  # gangs that exist at the same time
    gangs = [Gang(f"gang-{n:05}", min(size, pods - n * size)) for n in range((pods + size - 1) // size)]
    for start in range(0, len(gangs), batch):
        current = gangs[start : start + batch]
        for gang in current:
            yield writer.act("submit", gang.name, gang=gang.as_record())
            yield from writer.create(gang)
        for gang in current:
            for name, _ in gang.members():
                yield writer.pod(name, node=f"node-{placed % nodes:04}", conditions={"PodScheduled": _YES})
                yield writer.scheduled(name)
                placed += 1
        for gang in current:
            for name, _ in gang.members():
                yield writer.pod(name, phase="Running", ready=True)
        for gang in current:
            for name, _ in gang.members():
                yield writer.pod(name, phase="Succeeded", ready=False)
            yield writer.act("delete", gang.name, what="gang")
            for name, _ in gang.members():
                yield writer.pod(name, "deleted")
    yield writer.act("note", text="end of the synthetic load")


class _Writer:
    """Makes records with a distance of one millisecond."""

    def __init__(self) -> None:
        self.rev = 1
        self.states: dict[str, dict[str, Any]] = {}

    def create(self, gang: Gang) -> Iterator[Record]:
        """The gang's pods; the first is refused once."""
        key = f"{_SPACE}/{gang.name}"
        for name, role in gang.members():
            state: dict[str, Any] = {"gang": key, "part": "member", "phase": "Pending", "scheduler": "synthetic"}
            state |= {"labels": {GANG_LABEL: gang.name}, "constraints": {"tolerations": _TOLERATIONS}}
            yield self.watch("Pod", name, {**state, "request": millis(role.request)}, "added")
        yield self.pod(gang.members()[0][0], conditions={"PodScheduled": _NO})

    def pod(self, name: str, verb: str = "modified", **news: Any) -> Record:
        return self.watch("Pod", name, {**self.states[name], **news}, verb)

    def scheduled(self, name: str) -> Record:
        event = {"reason": "Scheduled", "type": "Normal", "about": f"Pod/{_SPACE}/{name}", "component": "synthetic"}
        message = f"Successfully assigned {_SPACE}/{name} to {self.states[name]['node']}"
        return self.watch("Event", f"{name}.{self.rev:x}", {**event, "message": message})

    def watch(self, kind: str, name: str, state: dict[str, Any], verb: str = "added") -> Record:
        self.rev += 1
        before = self.states.get(name)
        labels = changes(before, state, verb)
        if kind == "Pod":
            self.states[name] = state
        if verb == "deleted":
            del self.states[name]
        by = _AGENT if "bound" in labels else ""
        space = "" if kind == "Node" else _SPACE
        return Record(self.rev, self.now, "watch", verb, kind, space, name, f"uid-{kind}-{name}", labels, by, state)

    def act(self, verb: str, name: str = "", **state: Any) -> Record:
        return Record(None, self.now, "action", verb, "", _SPACE, name, state=state)

    @property
    def now(self) -> float:
        return round(_BEGAN + self.rev * 0.001, 6)
