"""Mutations of placement: all or nothing, room on nodes, and whose turn it is."""

from __future__ import annotations

import threading
import time
from typing import ClassVar

from harness.box.api import Object
from harness.mutation.base import Mutation
from harness.mutation.scheduler.reference import Placement, Reference
from harness.mutation.scheduler.room import Room
from harness.mutation.scheduler.units import Unit, read_units


class PodByPod(Mutation, Reference):
    """Places each member that fits, as if there were no gangs."""

    killed_by = (
        "gang-without-room-binds-nothing",
        "one-of-two-gangs-wins-whole",
        "job-that-does-not-fit-does-not-run",
        "gang-below-its-quorum-waits",
        "gang-larger-than-the-cluster-binds-nothing",
        "room-for-pods-counts-too",
        "gang-keeps-off-tainted-nodes",
        "gang-uses-only-nodes-it-selects",
        "gated-member-holds-the-gang",
        "gang-with-too-few-nodes-to-spread-binds-nothing",
        "last-member-releases-the-gang",
        "members-without-requests-start-with-the-others",
        "role-that-fits-nowhere-holds-back-all",
        "pods-of-no-gang-are-bound-beside-a-waiting-gang",
        "gang-group-deleted-while-waiting-is-not-bound-in-part",
        "capacity-that-arrives-node-by-node-starts-the-gang-once",
        "nonstrict-gangs-can-hold-each-other-up",
        "nonstrict-gangs-can-hold-each-other-up-in-a-quota",
    )
    breaks = ("GANG-02", "WL-35", "WL-37", "KAR-0053-2", "KOORD-17")
    quick = True

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return 0


class Deadlocks(Mutation, Reference):
    """Lets two gangs that compete each take half of the room."""

    killed_by = ("one-of-three-mixed-gangs-wins-whole", "gangs-that-block-each-other-take-turns")
    breaks = ("GANG-07", "WL-64")
    quick = True

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        rivals = [other for other in units if other is not unit and other.pending and other.is_gang and unit.is_gang]
        if rivals and len(unit.bound) < unit.quorum:
            half = self.place(unit, space)[: max(1, unit.quorum // 2)]
            return self.start(unit, half, space)
        return super().attempt(unit, space, units)


class Overbooks(Mutation, Reference):
    """Believes that every node has twice its GPUs."""

    killed_by = ("one-of-two-gangs-wins-whole", "fragmented-room-is-no-room", "gang-fits-what-others-left")
    breaks = ("GANG-04", "GANG-11")
    quick = True

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        for name, node in space.nodes.items():
            extra = int(node["status"]["allocatable"].get("nvidia.com/gpu", "0")) * 1000
            space.free[name]["nvidia.com/gpu"] = space.free[name].get("nvidia.com/gpu", 0) + extra
        return space


class Starves(Mutation, Reference):
    """Never tries again what it has refused once."""

    killed_by = (
        "waiting-gang-is-bound-when-room-appears",
        "waiting-gang-is-bound-when-a-node-is-added",
        "waiting-gang-is-bound-when-a-node-grows",
        "waiting-gang-is-bound-when-a-node-is-uncordoned",
        "freed-pod-by-pod-room-starts-the-gang",
        "big-gang-gets-its-turn-behind-small-ones",
        "twenty-gangs-compete-and-none-is-split",
        "hundred-gangs-drain-through-room-for-three",
        "gangs-and-pods-in-turns-all-start",
        "api-server-restarted-while-a-gang-waits",
        "controllers-restarted-while-a-gang-waits",
        "store-that-hangs-while-a-gang-waits",
    )
    breaks = ("GANG-05", "GANG-17", "GANG-26", "WL-44", "WL-50", "WL-56", "WL-65", "WL-66", "KOORD-22", "KOORD-45")
    quick = True

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if unit.key not in self.refusals:
            super().attempt(unit, space, units)


class NeverTriesForRoomAgain(Mutation, Reference):
    """Never tries a gang again for which there was no room."""

    killed_by = ("waiting-gang-is-bound-when-room-appears",)
    breaks = ("GANG-05", "WL-44", "KOORD-22")

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if not _lacks_room(self.refusals.get(unit.key, "")):
            super().attempt(unit, space, units)


class OverlooksNodes(Mutation, Reference):
    """Tries a gang without room again when a pod has gone, and not when there is more room on nodes."""

    killed_by = (
        "waiting-gang-is-bound-when-a-node-is-added",
        "waiting-gang-is-bound-when-a-node-grows",
        "waiting-gang-is-bound-when-a-node-is-uncordoned",
    )
    breaks = ("WL-56",)
    there: ClassVar[set[str]] = set()
    refused: ClassVar[set[str]] = set()

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        now = {pod["metadata"]["uid"] for pod in pods}
        if self.there - now:
            self.refused.clear()
        self.there.clear()
        self.there.update(now)
        return super().room(nodes, pods)

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if unit.key not in self.refused:
            super().attempt(unit, space, units)

    def refuse(self, unit: Unit, message: str) -> None:
        super().refuse(unit, message)
        self.refused.update([unit.key] if _lacks_room(message) else [])


class OverlooksLabelsAndTaints(Mutation, Reference):
    """Tries a gang without room again when a pod has gone or nodes have changed, but for their labels and taints."""

    killed_by = (
        "waiting-gang-is-bound-when-a-taint-is-removed",
        "waiting-gang-is-bound-when-a-label-is-added",
    )
    breaks = ("WL-56",)
    there: ClassVar[set[str]] = set()
    nodes: ClassVar[list[Object]] = []
    refused: ClassVar[set[str]] = set()

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        now, sizes = {pod["metadata"]["uid"] for pod in pods}, [_without_labels(node) for node in nodes]
        if self.there - now or sizes != self.nodes:
            self.refused.clear()
        self.there.clear()
        self.there.update(now)
        self.nodes[:] = sizes
        return super().room(nodes, pods)

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if unit.key not in self.refused:
            super().attempt(unit, space, units)

    def refuse(self, unit: Unit, message: str) -> None:
        super().refuse(unit, message)
        self.refused.update([unit.key] if _lacks_room(message) else [])


class LeavesOutTheRefused(Mutation, Reference):
    """Tries a gang again for which there was no room, and without the members that were refused then."""

    killed_by = ("waiting-gang-is-bound-when-room-appears", "freed-pod-by-pod-room-starts-the-gang")
    breaks = ("WL-50", "KOORD-45")
    refused: ClassVar[set[str]] = set()

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        unit.pending = [pod for pod in unit.pending if pod["metadata"]["uid"] not in self.refused]
        if unit.pending:
            super().attempt(unit, space, units)

    def refuse(self, unit: Unit, message: str) -> None:
        super().refuse(unit, message)
        self.refused.update(pod["metadata"]["uid"] for pod in unit.pending if unit.is_gang and _lacks_room(message))


class LetsPodsPass(Mutation, Reference):
    """Never starts a gang that a single pod has overtaken."""

    killed_by = ("gangs-and-pods-in-turns-all-start",)
    breaks = ("WL-66",)
    overtaken: ClassVar[set[str]] = set()

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        self.waiting = {other.key for other in units if other.is_gang and other.pending and not other.bound}
        if unit.key not in self.overtaken:
            super().attempt(unit, space, units)

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement, space)
        if not unit.is_gang:
            self.overtaken.update(self.waiting)


class Trickles(Mutation, Reference):
    """Binds the members of a gang seconds apart, holding the first ones while the last ones wait."""

    killed_by = (
        "gang-that-fits-is-bound-whole",
        "scheduler-paused-between-first-and-last-bind",
        "store-that-hangs-between-first-and-last-bind",
    )
    breaks = ("GANG-03",)
    quick = True

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        for pod, node in placement:
            self.bind(pod, node)
            if len(placement) > 1:
                time.sleep(3.0)


class ShutsTheDoor(Mutation, Reference):
    """Places no further member of a gang that has started."""

    killed_by = (
        "further-members-join-the-running-gang",
        "replacement-joins-the-running-gang",
        "recreated-member-of-the-same-name-joins-the-running-gang",
        "surplus-members-join-when-room-appears",
        "members-of-a-removed-node-come-back-elsewhere",
        "gang-submitted-again-starts-again",
    )
    breaks = ("GANG-14", "WL-39", "WL-45", "KOORD-33", "KOORD-40")
    started: ClassVar[set[str]] = set()

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if unit.key not in self.started:
            super().attempt(unit, space, units)

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement, space)
        self.started.add(unit.key)


class LastFirst(Mutation, Reference):
    """Places the lowest priority and the latest first."""

    killed_by = (
        "gang-of-higher-priority-goes-first",
        "gang-that-came-first-goes-first",
        "gang-of-higher-priority-is-first-in-the-queue",
    )
    breaks = ("GANG-18", "GANG-49", "WL-61", "WL-62", "KOORD-42")

    def order(self, units: list[Unit]) -> list[Unit]:
        return list(reversed(super().order(units)))


class LeastFirst(Mutation, Reference):
    """Places the lowest priority first, and of equal ones the oldest."""

    killed_by = ("gang-of-higher-priority-is-first-in-the-queue", "gang-of-higher-priority-goes-first")
    breaks = ("GANG-18", "WL-61", "KOORD-42")

    def order(self, units: list[Unit]) -> list[Unit]:
        return sorted(super().order(units), key=lambda unit: unit.priority)


class CountsStrangers(Mutation, Reference):
    """Counts members of a gang of the same name in another namespace, or of a like-named gang, towards the quorum."""

    killed_by = ("gang-of-the-same-name-elsewhere-does-not-count",)
    breaks = ("GANG-08", "WL-19", "WL-31")
    quick = True

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        strangers = [other for other in units if other is not unit and _alike(other.name, unit.name) and unit.is_gang]
        return max(0, unit.quorum - len(unit.bound) - sum(len(s.pending) + len(s.bound) for s in strangers))


class TakesStrangers(Mutation, Reference):
    """Places pods that have chosen another scheduler."""

    killed_by = ("pods-for-another-scheduler-are-left-alone", "members-for-two-schedulers-do-not-start-apart")
    breaks = ("GANG-12",)

    def mine(self, pod: Object) -> bool:
        return True


class CountsMembersOfOthers(Mutation, Reference):
    """Counts members that have chosen another scheduler towards the quorum, and does not place them."""

    killed_by = ("members-for-two-schedulers-do-not-start-apart",)
    breaks = ("GANG-37",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        units = super().units(pods, groups)
        theirs = {unit.key: unit for unit in read_units([pod for pod in pods if not self.mine(pod)], groups)}
        for unit in units:
            unit.quorum -= len(theirs[unit.key].pending) if unit.is_gang and unit.key in theirs else 0
        return units


class HoldsPodsBack(Mutation, Reference):
    """Places no single pod while a gang waits."""

    killed_by = ("pods-of-no-gang-are-bound-beside-a-waiting-gang",)
    breaks = ("GANG-12", "GANG-19", "WL-25", "WL-63")

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        waiting = [other for other in units if other.is_gang and other.pending and other.namespace == unit.namespace]
        if unit.is_gang or not waiting:
            super().attempt(unit, space, units)


class SkipsTheLastNode(Mutation, Reference):
    """Leaves a node without gangs."""

    killed_by = ("gang-as-large-as-the-cluster-is-bound-whole",)
    breaks = ("WL-57",)

    def domains(self, unit: Unit, space: Room) -> list[list[str]]:
        return [nodes[:-1] if unit.is_gang and len(nodes) > 1 else nodes for nodes in super().domains(unit, space)]


class Spins(Mutation, Reference):
    """Uses all of a processor while it waits."""

    killed_by = ("scheduler-rests-while-a-gang-waits",)
    breaks = ("GANG-36", "WL-55")

    def run(self) -> None:
        threading.Thread(target=self._spin, daemon=True).start()
        super().run()

    def _spin(self) -> None:
        while True:
            self.refusals = dict(self.refusals)


def _lacks_room(refusal: str) -> bool:
    return refusal.startswith("room for")


def _without_labels(node: Object) -> Object:
    """A node as it looks to whoever knows no labels and no taints."""
    conditions = [condition["status"] for condition in node["status"].get("conditions") or ()]
    closed = bool(node["spec"].get("unschedulable"))
    return {"uid": node["metadata"]["uid"], "room": node["status"]["allocatable"], "is": [conditions, closed]}


def _alike(name: str, other: str) -> bool:
    return name == other or name.startswith(other) or other.startswith(name)
