"""Schedulers that break one law each. A suite that lets one of them pass has a hole.

Every sin is the honest scheduler with one decision taken wrongly, so that whatever turns red is due to that sin alone.
"""

from __future__ import annotations

import time
from typing import ClassVar

from honest import GROUP, SCHEDULER, Honest, Unit
from room import Room

from harness.box.api import NODE, POD, Object
from harness.core.errors import ApiError

Placement = list[tuple[Object, str]]


class PodByPod(Honest):
    """Places each member that fits, as if there were no gangs."""

    caught_by = ("one-of-two-gangs-wins-whole",)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return 0


class AllButOne(Honest):
    """Starts a gang without its last member."""

    caught_by = ("gang-that-fits-is-bound-whole",)

    def start(self, unit: Unit, placement: Placement, room: Room) -> None:
        wanted = max(0, unit.quorum - 1 - len(unit.bound)) if unit.quorum > 1 else len(placement)
        super().start(unit, placement[:wanted], room)


class CountsStrangers(Honest):
    """Counts members of a gang of the same name in another namespace, or of a like-named gang, towards the quorum."""

    caught_by = ("gang-of-the-same-name-elsewhere-does-not-count",)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        strangers = [other for other in units if other is not unit and _alike(other.name, unit.name) and unit.group]
        return max(0, unit.quorum - len(unit.bound) - sum(len(s.pending) + len(s.bound) for s in strangers))


class ForgetsTheDead(Honest):
    """Remembers members that were deleted as if they were still there."""

    caught_by = ("deleted-member-of-a-waiting-gang-no-longer-counts",)
    seen: ClassVar[dict[str, set[str]]] = {}

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        names = self.seen.setdefault(f"{unit.namespace}/{unit.name}", set())
        names |= {pod["metadata"]["uid"] for pod in (*unit.pending, *unit.bound)}
        ghosts = len(names) - len(unit.pending) - len(unit.bound)
        return max(0, unit.quorum - len(unit.bound) - ghosts)


class KeepsHolds(Honest):
    """Puts placeholders where a refused gang's members would go, and never takes them away."""

    caught_by = ("waiting-gang-is-bound-when-room-appears",)
    held: ClassVar[set[str]] = set()

    def refuse(self, unit: Unit, message: str) -> None:
        super().refuse(unit, message)
        key = f"{unit.namespace}/{unit.name}"
        if unit.group is None or key in self.held:
            return
        self.held.add(key)
        pods = self.api.list(POD)
        for pod, node in self.place(unit.pending, self.room(self.api.list(NODE), pods)):
            self._hold(unit, pod, node)

    def _hold(self, unit: Unit, pod: Object, node: str) -> None:
        meta = {"name": f"hold-{pod['metadata']['name']}", "namespace": unit.namespace,
                "labels": {"muster.dev/gang": unit.name, "muster.dev/part": "placeholder"}}  # fmt: skip
        wanted = [{key: one[key] for key in ("name", "image", "resources")} for one in pod["spec"]["containers"]]
        spec = {"schedulerName": SCHEDULER, "terminationGracePeriodSeconds": 0, "nodeName": node, "containers": wanted}
        self.api.create({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})


class Overbooks(Honest):
    """Believes that every node has twice its GPUs."""

    caught_by = ("one-of-two-gangs-wins-whole",)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        room = super().room(nodes, pods)
        for name, node in room.nodes.items():
            extra = int(node["status"]["allocatable"].get("nvidia.com/gpu", "0")) * 1000
            room.free[name]["nvidia.com/gpu"] = room.free[name].get("nvidia.com/gpu", 0) + extra
        return room


class EvictsInVain(Honest):
    """Evicts everything of lower priority first and looks afterwards whether the gang fits."""

    caught_by = ("nobody-is-evicted-for-a-gang-that-cannot-fit",)

    def preempt(self, unit: Unit, room: Room, units: list[Unit], missing: int) -> bool:
        victims = [pod for other in units if other.priority < unit.priority for pod in other.bound]
        for victim in victims:
            self.evict(victim, unit)
        return bool(victims)


class EvictsItsEquals(Honest):
    """Preempts gangs of the same priority."""

    caught_by = ("gang-of-equal-priority-is-never-a-victim",)

    def preempt(self, unit: Unit, room: Room, units: list[Unit], missing: int) -> bool:
        victims = [pod for other in units if other is not unit for pod in other.bound]
        for victim in victims:
            self.evict(victim, unit)
        return bool(victims)


class TearsVictims(Honest):
    """Takes single members out of gangs that demand to fall whole."""

    caught_by = ("victim-gang-falls-whole",)

    def preempt(self, unit: Unit, room: Room, units: list[Unit], missing: int) -> bool:
        for other in units:
            other.group = None
        return super().preempt(unit, room, units, missing)


class Starves(Honest):
    """Never tries again what it has refused once."""

    caught_by = ("waiting-gang-is-bound-when-room-appears",)

    def attempt(self, unit: Unit, room: Room, units: list[Unit]) -> None:
        if f"{unit.namespace}/{unit.name}" not in self.told:
            super().attempt(unit, room, units)


class Deadlocks(Honest):
    """Lets two gangs that compete each take half of the room."""

    caught_by = ("one-of-two-gangs-wins-whole",)

    def attempt(self, unit: Unit, room: Room, units: list[Unit]) -> None:
        rivals = [other for other in units if other is not unit and other.pending and other.group and unit.group]
        if rivals and len(unit.bound) < unit.quorum:
            half = self.place(unit.pending, room)[: max(1, unit.quorum // 2)]
            return self.start(unit, half, room)
        return super().attempt(unit, room, units)


class Ignores(Honest):
    """Never looks at gangs of more than one."""

    caught_by = ("gang-that-fits-is-bound-whole",)

    def attempt(self, unit: Unit, room: Room, units: list[Unit]) -> None:
        if unit.group is None or unit.quorum == 1:
            super().attempt(unit, room, units)


class CountsTwiceAfterRestart(Honest):
    """After a restart counts what it finds bound once more, both as members and as used room."""

    caught_by = ("replacement-after-a-restart-joins-the-running-gang",)
    first: set[str] | None = None

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        room = super().room(nodes, pods)
        if self.first is None:
            self.first = {pod["metadata"]["uid"] for pod in pods if pod["spec"].get("nodeName")}
        for pod in pods:
            if pod["metadata"]["uid"] in self.first and pod["spec"]["nodeName"] in room.nodes:
                room.take(pod, pod["spec"]["nodeName"])
        return room

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        again = [pod for pod in unit.bound if pod["metadata"]["uid"] in (self.first or ())]
        return max(0, unit.quorum - len(unit.bound) - len(again))


class ForgetsAfterRestart(Honest):
    """After a restart takes the room of what already runs for free."""

    caught_by = ("restarted-scheduler-knows-what-runs",)
    first: set[str] | None = None

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        if self.first is None:
            self.first = {pod["metadata"]["uid"] for pod in pods if pod["spec"].get("nodeName")}
        return super().room(nodes, [pod for pod in pods if pod["metadata"]["uid"] not in (self.first or ())])


class LeavesGroups(Honest):
    """Puts a finalizer on every group and never removes it."""

    caught_by = ("waiting-gang-is-bound-when-room-appears",)

    def round(self) -> None:
        super().round()
        for group in self.api.list(GROUP, labelSelector="muster.dev/gang"):
            if not group["metadata"].get("finalizers") and "deletionTimestamp" not in group["metadata"]:
                change = {"metadata": {"finalizers": ["muster.dev/left-behind"]}}
                try:
                    self.api.patch(GROUP, group["metadata"]["namespace"], group["metadata"]["name"], change)
                except ApiError as error:
                    print(error, flush=True)


class Trickles(Honest):
    """Binds the members of a gang seconds apart, holding the first ones while the last ones wait."""

    caught_by = ("gang-that-fits-is-bound-whole",)

    def start(self, unit: Unit, placement: Placement, room: Room) -> None:
        for pod, node in placement:
            self.bind(pod, node)
            if len(placement) > 1:
                time.sleep(3.0)


def _alike(one: str, other: str) -> bool:
    return one == other or one.startswith(other) or other.startswith(one)


SINS = {
    "pod-by-pod": PodByPod, "all-but-one": AllButOne, "counts-strangers": CountsStrangers,
    "forgets-the-dead": ForgetsTheDead, "keeps-holds": KeepsHolds, "overbooks": Overbooks,
    "evicts-in-vain": EvictsInVain, "evicts-its-equals": EvictsItsEquals, "tears-victims": TearsVictims,
    "starves": Starves, "deadlocks": Deadlocks, "ignores": Ignores,
    "counts-twice-after-restart": CountsTwiceAfterRestart, "forgets-after-restart": ForgetsAfterRestart,
    "leaves-groups": LeavesGroups, "trickles": Trickles,
}  # fmt: skip
