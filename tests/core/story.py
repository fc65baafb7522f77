"""Histories written by hand: a story says in one line each what happened, and `build` makes the history of it.

Records are made the way the recorder makes them (complete states, words for what is new), so a test of a check reads
like the law it tests. Times are seconds since the story began; every record gets the next revision.
"""

from __future__ import annotations

from typing import Any

from harness.core.gang import GPU, Gang, Role
from harness.core.history.observe import changes
from harness.core.history.records import History, Record, header
from harness.core.quantity import millis

BEGAN = 1_700_000_000.0
NS = "ns"
SCHEDULER = "gang-scheduler"
AGENT = "gang-scheduler/v1 (linux/amd64)"


class Story:
    def __init__(self, **deadlines: float) -> None:
        self.now = 0.0
        self.rev = 100
        self.records: list[Record] = []
        self.states: dict[str, dict[str, Any]] = {}
        self.incarnations: dict[str, int] = {}
        self.deadlines = deadlines

    def at(self, seconds: float) -> Story:
        self.now = seconds
        return self

    def after(self, seconds: float) -> Story:
        self.now += seconds
        return self

    # -- nodes

    def node(
        self, name: str, gpus: int = 8, cpu: str = "64", memory: str = "256Gi", pods: int = 110, **state: Any
    ) -> Story:
        room = millis({"cpu": cpu, "memory": memory, GPU: gpus, "pods": pods})
        verb = "modified" if f"Node/{name}" in self.states else "added"
        return self.watch("Node", name, verb, allocatable=room, **state)

    def no_node(self, name: str) -> Story:
        return self.watch("Node", name, "deleted")

    def mark(self, scheduler: str = SCHEDULER) -> Story:
        """A marker is bound: the scheduler has seen every change of nodes so far."""
        name = f"marker-{self.rev}"
        self.act("marker", name, node=name).node(name, gpus=1)
        return self.pod(name, part="marker", scheduler=scheduler).bind(name, name)

    # -- gangs and pods

    def submit(self, gang: Gang, create: bool = True) -> Story:
        self.act("submit", gang.name, gang=gang.as_record())
        for name, role in gang.members() if create else ():
            self.pod(name, gang=gang.name, role=role)
        return self

    def pod(self, name: str, gang: str = "", role: Role | None = None, part: str = "", **state: Any) -> Story:
        role = role or Role("member", 1)
        self.incarnations[name] = self.incarnations.get(name, 0) + 1
        self.states.pop(f"Pod/{name}", None)
        complete = {"phase": "Pending", "scheduler": SCHEDULER, "request": millis(role.request), **state}
        complete["part"] = part or ("member" if gang else "plain")
        if gang:
            complete |= {"gang": f"{NS}/{gang}", "role": role.name}
        return self.watch("Pod", name, "added", **complete)

    def bind(self, name: str, node: str = "n1", by: str = AGENT) -> Story:
        return self.watch("Pod", name, by=by, node=node)

    def bind_all(self, gang: Gang, node: str = "n1", every: float = 0.0) -> Story:
        for name, _ in gang.members():
            self.bind(name, node).after(every)
        return self

    def condition(self, name: str, kind: str, status: str, reason: str = "", message: str = "") -> Story:
        conditions = {**self.states[f"Pod/{name}"].get("conditions", {}), kind: [status, reason, message]}
        return self.watch("Pod", name, conditions=conditions)

    def phase(self, name: str, phase: str) -> Story:
        return self.watch("Pod", name, phase=phase)

    def terminating(self, name: str) -> Story:
        return self.watch("Pod", name, deleting=True)

    def gone(self, name: str) -> Story:
        return self.watch("Pod", name, "deleted")

    def unschedulable(self, name: str) -> Story:
        return self.condition(name, "PodScheduled", "False", "Unschedulable", "0/1 nodes are available")

    def group(self, gang: str, verb: str = "", **state: Any) -> Story:
        exists = f"PodGroup.x/{gang}" in self.states
        return self.watch("PodGroup.x", gang, verb or ("modified" if exists else "added"), gang=f"{NS}/{gang}", **state)

    def event(self, reason: str, about: str, kind: str = "Pod", **state: Any) -> Story:
        name = f"{reason.lower()}-{self.rev}"
        return self.watch("Event", name, "added", reason=reason, about=f"{kind}/{NS}/{about}", **state)

    def watch(self, kind: str, name: str, verb: str = "modified", by: str = "", **state: Any) -> Story:
        key = f"{kind}/{name}"
        before = self.states.get(key)
        after = {**(before or {}), **state}
        self.states[key] = after
        self.rev += 1
        uid = f"{kind}-{name}-{self.incarnations.get(name, 0)}"
        space = "" if kind in ("Node", "PersistentVolume") else NS
        changed = changes(before, after, verb)
        self.records.append(
            Record(self.rev, BEGAN + self.now, "watch", verb, kind, space, name, uid, changed, by, after)
        )
        if verb == "deleted":
            del self.states[key]
        return self

    # -- what the case and the audit log say

    def act(self, verb: str, name: str = "", **state: Any) -> Story:
        self.records.append(Record(None, BEGAN + self.now, "action", verb, "", NS, name, state=state))
        return self

    def expect(self, what: str, *gangs: str, **details: Any) -> Story:
        return self.act("expect", "", what=what, gangs=[f"{NS}/{gang}" for gang in gangs], **details)

    def lift(self, *gangs: str) -> Story:
        return self.act("lift", "", gangs=[f"{NS}/{gang}" for gang in gangs])

    def delete(self, gang: str) -> Story:
        return self.act("delete", gang, what="gang")

    def audit(self, verb: str, pod: str, by: str = AGENT, code: int = 200, **state: Any) -> Story:
        uid = f"Pod-{pod}-{self.incarnations.get(pod, 0)}"
        complete = {"code": code, **state}
        self.records.append(Record(None, BEGAN + self.now, "audit", verb, "Pod", NS, pod, uid, by=by, state=complete))
        return self

    def lost(self, kind: str, start: int, stop: int) -> Story:
        state = {"from": start, "to": stop}
        self.records.append(Record(None, BEGAN + self.now, "gap", "lost", kind, state=state))
        return self

    def end(self, seconds: float | None = None) -> History:
        """The history, watched until that time."""
        if seconds is not None:
            self.now = seconds
        return self.act("note", text="end").build()

    def build(self, complete: bool = True) -> History:
        head = header("story", started=BEGAN, deadlines=self.deadlines)
        return History(head, tuple(self.records), complete)
