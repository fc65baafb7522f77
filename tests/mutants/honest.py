"""The control of the controls: a small gang scheduler that keeps every law, in a frame in which each one can be broken.

It speaks to a real API server with real Bindings and keeps no state between two rounds: each round lists pods, nodes
and groups, decides, and acts. So it survives any restart, and a sin is one overridden decision (see `sins.py`). It is
slow and simple on purpose; it judges the suite, not other schedulers.

A gang is a ConfigMap labelled `muster.dev/gang` with `quorum` in its data, and pods with the same label.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from room import Room, carries

from harness.box.api import NODE, PATCH_STRATEGIC, POD, Api, Object, Resource
from harness.core.errors import ApiError
from harness.core.observe import pod_request
from harness.core.quantity import millis

SCHEDULER = "control-scheduler"
GROUP = Resource("v1", "ConfigMap", "configmaps", True)
BUDGET = Resource("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", True)
GANG = "muster.dev/gang"
IDLE = 0.25  # seconds after which a round is made even if nothing changed


@dataclass
class Unit:
    """A gang, or a single pod, which is a gang of one."""

    namespace: str
    name: str
    quorum: int
    pending: list[Object] = field(default_factory=list)
    bound: list[Object] = field(default_factory=list)
    group: Object | None = None

    @property
    def priority(self) -> int:
        return max((pod["spec"].get("priority") or 0 for pod in (*self.pending, *self.bound)), default=0)

    @property
    def since(self) -> str:
        return min((str(pod["metadata"]["creationTimestamp"]) for pod in self.pending), default="")

    @property
    def whole(self) -> bool:
        """Whether preemption must take all of it or nothing."""
        return bool(self.group and (self.group.get("data") or {}).get("disruption") == "gang")


class Honest:
    """Places gangs whole or not at all."""

    caught_by: tuple[str, ...] = ()  # cases that must notice a scheduler derived from this one

    def __init__(self, api: Api) -> None:
        self.api = api
        self.changed = threading.Event()
        self.told: dict[str, str] = {}  # unit -> the refusal it was last told, so that it is told once

    def run(self) -> None:
        for resource in (POD, NODE, GROUP):
            threading.Thread(target=self._follow, args=(resource,), daemon=True).start()
        while True:
            self.changed.wait(IDLE)
            self.changed.clear()
            try:
                self.round()
            except ApiError as error:
                print(f"this round failed: {error}", flush=True)
                time.sleep(0.1)

    def round(self) -> None:
        """One look at everything, and what follows from it."""
        pods = self.api.list(POD)
        room = self.room(self.api.list(NODE), pods)
        units = self.units(pods, self.api.list(GROUP, labelSelector=GANG))
        for unit in self.order(units):
            if unit.pending:
                self.attempt(unit, room, units)

    # -- decisions, each of which a sin may override ------------------------------------------------------------------

    def order(self, units: list[Unit]) -> list[Unit]:
        """By priority and age; gangs before single pods of the same second, so that a fence comes after them."""
        return sorted(units, key=lambda u: (-u.priority, u.since, u.group is None, u.namespace, u.name))

    def attempt(self, unit: Unit, room: Room, units: list[Unit]) -> None:
        missing = self.missing(unit, units)
        if len(unit.pending) < missing:
            return self.refuse(unit, f"{len(unit.pending)} members are there, {missing} more are needed to start")
        placement = self.place(unit.pending, room)
        if len(placement) < max(1, missing):
            if self.preempt(unit, room, units, missing):
                return self.refuse(unit, "waiting for victims to end")
            return self.refuse(unit, f"room for {len(placement)} members, {missing} are needed to start")
        return self.start(unit, placement, room)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        """How many members must be bound at once for the gang to be at quorum."""
        return max(0, unit.quorum - len(unit.bound))

    def place(self, pods: list[Object], room: Room) -> list[tuple[Object, str]]:
        """A node for as many of the pods as fit, the largest first."""
        trial, found = room.copy(), []
        for pod in sorted(pods, key=lambda pod: -sum(pod_request(pod["spec"]).values())):
            name = next((name for name in sorted(trial.nodes) if trial.fits(pod, name)), None)
            if name is not None:
                trial.take(pod, name)
                found.append((pod, name))
        return found

    def start(self, unit: Unit, placement: list[tuple[Object, str]], room: Room) -> None:
        self.told.pop(f"{unit.namespace}/{unit.name}", None)
        for pod, node in placement:
            self.bind(pod, node)
            room.take(pod, node)

    def preempt(self, unit: Unit, room: Room, units: list[Unit], missing: int) -> bool:
        """Evict pods of lower priority if, and only if, the gang then fits. Whether anything was evicted."""
        if any(pod["spec"].get("preemptionPolicy") == "Never" for pod in unit.pending):
            return False
        trial, victims = room.copy(), []
        for pod in room.leaving:
            trial.take(pod, pod["spec"]["nodeName"], +1)
        if len(self.place(unit.pending, trial)) >= missing:
            return True  # enough are on their way out already
        guarded = self.guarded()
        for other in sorted(units, key=lambda other: (_guards(guarded, other.bound), other.priority)):
            if not other.bound or other.priority >= unit.priority:
                continue
            for chunk in [other.bound] if other.whole else [[pod] for pod in other.bound]:
                for pod in chunk:
                    if pod["spec"]["nodeName"] in trial.free:
                        trial.take(pod, pod["spec"]["nodeName"], +1)
                victims += chunk
                if len(self.place(unit.pending, trial)) >= missing:
                    for victim in victims:
                        self.evict(victim, unit)
                    return True
        return False

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
        condition = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler",
                     "message": f"preempted by {unit.namespace}/{unit.name}", "lastTransitionTime": _now()}  # fmt: skip
        self._status(pod, condition)
        self.api.delete(POD, meta["namespace"], meta["name"], grace=0)

    def refuse(self, unit: Unit, message: str) -> None:
        key = f"{unit.namespace}/{unit.name}"
        if self.told.get(key) == message:
            return
        self.told[key] = message
        for pod in unit.pending:
            condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message,
                         "lastTransitionTime": _now()}  # fmt: skip
            self._status(pod, condition)

    def _status(self, pod: Object, condition: dict[str, Any]) -> None:
        meta = pod["metadata"]
        change = {"status": {"conditions": [condition]}}
        try:
            self.api.patch(
                POD, meta["namespace"], meta["name"], change, subresource="status", content_type=PATCH_STRATEGIC
            )
        except ApiError as error:
            if error.status != 404:
                raise

    # -- what there is ------------------------------------------------------------------------------------------------

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        known = {(group["metadata"]["namespace"], group["metadata"]["labels"][GANG]): group for group in groups}
        found: dict[tuple[str, str], Unit] = {}
        for pod in pods:
            labels = pod["metadata"].get("labels") or {}
            if pod["spec"].get("schedulerName") != SCHEDULER or labels.get("muster.dev/part") == "placeholder":
                continue
            namespace, gang = pod["metadata"]["namespace"], labels.get(GANG)
            group = known.get((namespace, gang)) if gang else None
            if gang and (group is None or "deletionTimestamp" in group["metadata"]):
                continue  # its group does not exist yet, or any more
            quorum = int(group["data"]["quorum"]) if group else 1
            name = gang or pod["metadata"]["name"]
            unit = found.setdefault((namespace, name), Unit(namespace, name, quorum))
            unit.group = group
            if pod["status"].get("phase") == "Failed" or "deletionTimestamp" in pod["metadata"]:
                continue
            if pod["spec"].get("nodeName"):
                unit.bound.append(pod)
            elif not pod["spec"].get("schedulingGates"):
                unit.pending.append(pod)
        return list(found.values())

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        usable = {node["metadata"]["name"]: node for node in nodes if _usable(node)}
        free: dict[str, dict[str, int]] = defaultdict(dict)
        for name, node in usable.items():
            free[name] = millis(node["status"]["allocatable"])
        room = Room(usable, free)
        for pod in pods:
            node = pod["spec"].get("nodeName")
            if node in usable and pod["status"].get("phase") not in ("Succeeded", "Failed"):
                room.take(pod, node)
                if "deletionTimestamp" in pod["metadata"]:
                    room.leaving.append(pod)
        return room

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


def _usable(node: Object) -> bool:
    conditions = node["status"].get("conditions") or ()
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    return ready and not node["spec"].get("unschedulable") and "deletionTimestamp" not in node["metadata"]


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
