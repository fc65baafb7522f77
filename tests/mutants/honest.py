"""The control of the controls: a small gang scheduler that keeps every law, in a frame in which each one can be broken.

It speaks to a real API server with real Bindings and keeps no state between two rounds: each round lists pods, nodes
and groups, decides, and acts. So it survives any restart, and a sin is one overridden decision (see `sins.py`). It is
slow and simple on purpose; it judges the suite, not other schedulers.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from room import QUEUE, Room, carries, room
from units import GANG, Unit, units

from harness.box.api import NODE, PATCH_STRATEGIC, POD, Api, Object, Resource
from harness.core.errors import ApiError
from harness.core.gang import GPU
from harness.core.observe import pod_request

SCHEDULER = "control-scheduler"
GROUP = Resource("v1", "ConfigMap", "configmaps", True)
BUDGET = Resource("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", True)
IDLE = 0.25  # seconds after which a round is made even if nothing changed
READY = "the first round is made"  # what it writes then; whoever started it waits for that

Placement = list[tuple[Object, str]]


class Honest:
    """Places gangs whole or not at all."""

    caught_by: tuple[str, ...] = ()  # cases that must notice a scheduler derived from this one
    quick = False  # whether the quick form of the proof asks for it

    def __init__(self, api: Api) -> None:
        self.api = api
        self.changed = threading.Event()
        self.told: dict[str, str] = {}  # unit -> the refusal it was last told, so that it is told once

    def run(self) -> None:
        for resource in (POD, NODE, GROUP):
            threading.Thread(target=self._follow, args=(resource,), daemon=True).start()
        self.attend()
        print(READY, flush=True)
        while True:
            self.changed.wait(IDLE)
            self.changed.clear()
            self.attend()

    def attend(self) -> None:
        try:
            self.round()
        except ApiError as error:
            print(f"this round failed: {error}", flush=True)
            time.sleep(0.1)

    def round(self) -> None:
        """One look at everything, and what follows from it."""
        pods = self.api.list(POD)
        space = self.room(self.api.list(NODE), pods)
        found = self.units(pods, self.api.list(GROUP, labelSelector=GANG))
        for unit in self.order(found):
            if unit.pending:
                self.attempt(unit, space, found)

    # -- decisions, each of which a sin may override ------------------------------------------------------------------

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        return units([pod for pod in pods if self.mine(pod)], groups)

    def mine(self, pod: Object) -> bool:
        return bool(pod["spec"].get("schedulerName") == SCHEDULER)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        return room(nodes, pods, self.api.list(GROUP, labelSelector=QUEUE))

    def order(self, found: list[Unit]) -> list[Unit]:
        """By priority and age; gangs before single pods of the same second, so that a fence comes after them."""
        return sorted(found, key=lambda u: (-u.priority, u.since, not u.is_gang, u.namespace, u.name))

    def attempt(self, unit: Unit, space: Room, found: list[Unit]) -> None:
        late, style = self.late(unit), unit.terms.get("style", "")
        if late and "soft" not in style and "nonstrict" not in style:
            return self.fail(unit)
        missing = 0 if late and "soft" in style else self.missing(unit, found)
        if len(unit.pending) < missing:
            return self.refuse(unit, f"{len(unit.pending)} members are there, {missing} more are needed to start")
        if missing and not self.has_total(unit, space):
            return self.refuse(unit, f"{unit.terms['total']} GPUs are needed in total")
        placement = self.place(unit, space)
        if self.enough(unit, placement, missing):
            if self.together(unit, placement, space, found):
                return self.start(unit, placement, space)
            return self.refuse(unit, "the gangs that it starts with cannot start yet")
        if self.preempt(unit, space, found, missing):
            return self.refuse(unit, "waiting for victims to end")
        if "nonstrict" in style and not late:
            self.hold(unit, placement, space)
        return self.refuse(unit, f"room for {len(placement)} members, {missing} are needed to start")

    def late(self, unit: Unit) -> bool:
        return unit.late

    def missing(self, unit: Unit, found: list[Unit]) -> int:
        """How many members must be bound at once for the gang to be at quorum."""
        return max(0, unit.quorum - len(unit.bound))

    def enough(self, unit: Unit, placement: Placement, missing: int) -> bool:
        """Whether the gang may start with these members."""
        if len(placement) < max(1, missing):
            return False
        return not missing or unit.has_minima([pod for pod, _ in placement])

    def has_total(self, unit: Unit, space: Room) -> bool:
        """Whether there is as much room as the gang declares to need in total."""
        total = int(unit.terms.get("total", 0))
        return not total or sum(free.get(GPU, 0) for free in space.free.values()) >= 1000 * total

    def together(self, unit: Unit, placement: Placement, space: Room, found: list[Unit]) -> bool:
        """Whether every gang that starts with this one is there and has started, or can beside it."""
        awaited = set(unit.terms.get("together", "").split()) - {unit.key}
        trial = space.copy()
        for pod, node in placement:
            trial.take(pod, node)
        for other in [other for other in found if other.key in awaited]:
            theirs = self.place(other, trial)
            if len(other.bound) >= other.quorum or self.enough(other, theirs, self.missing(other, found)):
                awaited.remove(other.key)
            for pod, node in theirs:
                trial.take(pod, node)
        return not awaited

    def place(self, unit: Unit, space: Room) -> Placement:
        """A node for as many of the pending members as fit, within one domain if the gang asks for one."""
        return max((self.fill(unit.pending, space, nodes) for nodes in self.domains(unit, space)), key=len, default=[])

    def domains(self, unit: Unit, space: Room) -> list[list[str]]:
        """The sets of nodes in which the gang may be; one that has begun stays where it is."""
        label = unit.terms.get("topology")
        if not label:
            return [sorted(space.nodes)]
        homes = {name: (node["metadata"].get("labels") or {}).get(label) for name, node in space.nodes.items()}
        begun = {homes.get(pod["spec"]["nodeName"]) for pod in unit.bound}
        values = sorted((begun or set(homes.values())) - {None})
        return [sorted(name for name in homes if homes[name] == value) for value in values]

    def fill(self, pods: list[Object], space: Room, nodes: list[str]) -> Placement:
        trial, found = space.copy(), []
        for pod in sorted(pods, key=lambda pod: -sum(pod_request(pod["spec"]).values())):
            name = next((name for name in nodes if trial.fits(pod, name)), None)
            if name is not None:
                trial.take(pod, name)
                found.append((pod, name))
        return found

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        self.told.pop(unit.key, None)
        for pod, node in placement:
            self.bind(pod, node)
            space.take(pod, node)

    def hold(self, unit: Unit, placement: Placement, space: Room) -> None:
        """Keep others off the places of a gang that is not strict."""
        for pod, node in placement:
            space.take(pod, node)

    def preempt(self, unit: Unit, space: Room, found: list[Unit], missing: int) -> bool:
        """Evict pods of lower priority if, and only if, the gang then fits. Whether anything was evicted."""
        if any(pod["spec"].get("preemptionPolicy") == "Never" for pod in unit.pending):
            return False
        trial, victims = space.copy(), []
        for pod in space.leaving:
            trial.take(pod, pod["spec"]["nodeName"], +1)
        if self.enough(unit, self.place(unit, trial), missing):
            return True  # enough are on their way out already
        for chunk in self.victims(unit, found):
            for pod in chunk:
                if pod["spec"]["nodeName"] in trial.free:
                    trial.take(pod, pod["spec"]["nodeName"], +1)
            victims += chunk
            if self.enough(unit, self.place(unit, trial), missing):
                for victim in victims:
                    self.evict(victim, unit)
                return True
        return False

    def victims(self, unit: Unit, found: list[Unit]) -> list[list[Object]]:
        """Who may fall for the unit, in turn: unguarded and unimportant ones first, surplus before a gang is broken."""
        guarded = self.guarded()
        chunks: list[tuple[bool, int, bool, list[Object]]] = []
        for other in found:
            if other.bound and other.priority < unit.priority:
                rank, spare = (_guards(guarded, other.bound), other.priority), other.surplus
                core = [pod for pod in other.bound if pod not in spare]
                parts = [[*spare, *core]] if other.whole else [[pod] for pod in (*spare, *core)]
                chunks += [(*rank, any(pod in core for pod in part), part) for part in parts]
        return [chunk for *_, chunk in sorted(chunks, key=lambda one: one[:3])]

    def guarded(self) -> list[tuple[str, dict[str, str]]]:
        """Namespace and labels of the pods that a disruption budget protects at the moment."""
        budgets = self.api.list(BUDGET)
        full = [one for one in budgets if not (one.get("status") or {}).get("disruptionsAllowed")]
        return [(one["metadata"]["namespace"], one["spec"]["selector"].get("matchLabels") or {}) for one in full]

    # -- what the API server sees -------------------------------------------------------------------------------------

    def bind(self, pod: Object, node: str) -> None:
        meta = pod["metadata"]
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": meta["name"], "uid": meta["uid"]},
                   "target": {"apiVersion": "v1", "kind": "Node", "name": node}}  # fmt: skip
        self.api.request("POST", f"{POD.path(meta['namespace'], meta['name'])}/binding", binding)

    def evict(self, pod: Object, unit: Unit) -> None:
        meta = pod["metadata"]
        self._condition(pod, "DisruptionTarget", "True", "PreemptionByScheduler", f"preempted by {unit.key}")
        self.api.delete(POD, meta["namespace"], meta["name"], grace=0)

    def refuse(self, unit: Unit, message: str) -> None:
        if self.told.get(unit.key) == message:
            return
        self.told[unit.key] = message
        for pod in unit.pending:
            self._condition(pod, "PodScheduled", "False", "Unschedulable", message)

    def fail(self, unit: Unit) -> None:
        """Let a gang whose time is over fail for good."""
        for pod in unit.pending:
            self._status(pod, {"phase": "Failed", "reason": "OutOfTime"})

    def _condition(self, pod: Object, kind: str, status: str, reason: str, message: str) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        condition = {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": now}
        self._status(pod, {"conditions": [condition]})

    def _status(self, pod: Object, status: dict[str, Any]) -> None:
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        try:
            self.api.patch(POD, namespace, name, {"status": status}, subresource="status", content_type=PATCH_STRATEGIC)
        except ApiError as error:
            if error.status != 404:
                raise

    def _follow(self, resource: Resource) -> None:
        while True:
            try:
                for _ in self.api.watch(resource, "0"):
                    self.changed.set()
            except Exception as error:  # a control must outlive every fault a case injects
                print(f"watch of {resource.plural}: {error}", flush=True)
                time.sleep(0.1)


def _guards(guarded: list[tuple[str, dict[str, str]]], pods: list[Object]) -> bool:
    pairs = [(pod, home, labels) for pod in pods for home, labels in guarded]
    return any(pod["metadata"]["namespace"] == home and carries(pod, labels) for pod, home, labels in pairs)
