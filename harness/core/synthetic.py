"""Large honest histories without a cluster, to measure what judging costs.

`muster bench history` and people who change a check need a history of 10,000 pods on 1,000 nodes in seconds. This one
is what an honest gang scheduler would leave behind: gangs are submitted, some wait and are refused first, all are
bound whole, run, finish and are deleted. It is the same for the same numbers: nothing here is random.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.core.deadlines import scaled
from harness.core.gang import GPU, Gang
from harness.core.history import History, Record, header
from harness.core.observe import changes
from harness.core.quantity import millis

_BEGAN = 1_700_000_000.0
_SPACE = "load"
_AGENT = "honest-scheduler/v1 (linux/amd64) synthetic"
_NO = ["False", "Unschedulable", "0/1000 nodes are available: 1000 Insufficient nvidia.com/gpu."]
_YES = ["True", "", ""]


def history(pods: int = 10_000, nodes: int = 1_000, gang: int = 8, gpus: int = 16) -> History:
    """About seven records a pod; nodes have room for all pods at once."""
    return History(header("synthetic", started=_BEGAN, deadlines=scaled()), tuple(_records(pods, nodes, gang, gpus)))


def _records(pods: int, nodes: int, size: int, gpus: int) -> Iterator[Record]:
    writer = _Writer()
    room = {"cpu": "64", "memory": "256Gi", GPU: str(gpus), "pods": "110"}
    for n in range(nodes):
        yield writer.watch("Node", f"node-{n:04}", {"allocatable": millis(room), "ready": True})
    placed = 0
    batch = 32  # gangs that are in the air at the same time
    gangs = [Gang(f"gang-{n:05}", min(size, pods - n * size)) for n in range((pods + size - 1) // size)]
    for start in range(0, len(gangs), batch):
        several = gangs[start : start + batch]
        for one in several:
            yield writer.act("submit", one.name, gang=one.as_record())
            yield from writer.create(one)
        for one in several:
            for name, _ in one.members():
                yield writer.pod(name, node=f"node-{placed % nodes:04}", conditions={"PodScheduled": _YES})
                yield writer.scheduled(name)
                placed += 1
        for one in several:
            for name, _ in one.members():
                yield writer.pod(name, phase="Running", ready=True)
        for one in several:
            for name, _ in one.members():
                yield writer.pod(name, phase="Succeeded", ready=False)
            yield writer.act("delete", one.name, what="gang")
            for name, _ in one.members():
                yield writer.pod(name, "deleted")
    yield writer.act("note", text="end of the synthetic load")


class _Writer:
    """Makes records one after the other, a millisecond apart."""

    def __init__(self) -> None:
        self.rev = 1
        self.states: dict[str, dict[str, Any]] = {}

    def create(self, gang: Gang) -> Iterator[Record]:
        """The gang's pods; the first says once that it cannot be placed yet."""
        key = f"{_SPACE}/{gang.name}"
        for name, role in gang.members():
            state = {"gang": key, "part": "member", "phase": "Pending", "scheduler": "honest"}
            yield self.watch("Pod", name, {**state, "request": millis(role.request)}, "added")
        yield self.pod(gang.members()[0][0], conditions={"PodScheduled": _NO})

    def pod(self, name: str, verb: str = "modified", **news: Any) -> Record:
        return self.watch("Pod", name, {**self.states[name], **news}, verb)

    def scheduled(self, name: str) -> Record:
        said = {"reason": "Scheduled", "type": "Normal", "about": f"Pod/{_SPACE}/{name}", "component": "honest"}
        message = f"Successfully assigned {_SPACE}/{name} to {self.states[name]['node']}"
        return self.watch("Event", f"{name}.{self.rev:x}", {**said, "message": message})

    def watch(self, kind: str, name: str, state: dict[str, Any], verb: str = "added") -> Record:
        self.rev += 1
        before = self.states.get(name)
        words = changes(before, state, verb)
        if kind == "Pod":
            self.states[name] = state
        if verb == "deleted":
            del self.states[name]
        by = _AGENT if "bound" in words else ""
        space = "" if kind == "Node" else _SPACE
        return Record(self.rev, self.now, "watch", verb, kind, space, name, f"uid-{kind}-{name}", words, by, state)

    def act(self, verb: str, name: str = "", **state: Any) -> Record:
        return Record(None, self.now, "action", verb, "", _SPACE, name, state=state)

    @property
    def now(self) -> float:
        return round(_BEGAN + self.rev * 0.001, 6)
