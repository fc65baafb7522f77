"""Schedulers that break one law of gangs each. A suite that lets one of them pass has a hole.

Every sin is the honest scheduler with one decision taken wrongly, so that whatever turns red is due to that sin alone.
This file has those about all or nothing, room and turns; the others are in `sins_of_*.py`.
"""

from __future__ import annotations

import threading
import time
from typing import ClassVar

from honest import Honest, Placement
from room import Room
from units import Unit

from harness.box.api import Object


class PodByPod(Honest):
    """Places each member that fits, as if there were no gangs."""

    caught_by = (
        "gang-without-room-binds-nothing", "one-of-two-gangs-wins-whole", "job-that-does-not-fit-does-not-run",
        "gang-below-its-quorum-waits", "gang-larger-than-the-cluster-binds-nothing", "room-for-pods-counts-too",
        "gang-keeps-off-tainted-nodes", "gang-uses-only-nodes-it-selects", "gated-member-holds-the-gang",
        "gang-with-too-few-nodes-to-spread-binds-nothing", "last-member-releases-the-gang",
        "members-without-requests-start-with-the-others", "role-that-fits-nowhere-holds-back-all",
        "pods-of-no-gang-are-bound-beside-a-waiting-gang", "gang-group-deleted-while-waiting-is-not-bound-in-part",
        "capacity-that-arrives-node-by-node-starts-the-gang-once", "nonstrict-gangs-can-hold-each-other-up",
    )  # fmt: skip
    quick = True

    def missing(self, unit: Unit, found: list[Unit]) -> int:
        return 0


class Deadlocks(Honest):
    """Lets two gangs that compete each take half of the room."""

    caught_by = ("one-of-three-mixed-gangs-wins-whole", "gangs-that-block-each-other-take-turns")
    quick = True

    def attempt(self, unit: Unit, space: Room, found: list[Unit]) -> None:
        rivals = [other for other in found if other is not unit and other.pending and other.is_gang and unit.is_gang]
        if rivals and len(unit.bound) < unit.quorum:
            half = self.place(unit, space)[: max(1, unit.quorum // 2)]
            return self.start(unit, half, space)
        return super().attempt(unit, space, found)


class Overbooks(Honest):
    """Believes that every node has twice its GPUs."""

    caught_by = ("one-of-two-gangs-wins-whole", "fragmented-room-is-no-room")
    quick = True

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        for name, node in space.nodes.items():
            extra = int(node["status"]["allocatable"].get("nvidia.com/gpu", "0")) * 1000
            space.free[name]["nvidia.com/gpu"] = space.free[name].get("nvidia.com/gpu", 0) + extra
        return space


class Starves(Honest):
    """Never tries again what it has refused once."""

    caught_by = (
        "waiting-gang-is-bound-when-room-appears", "waiting-gang-is-bound-when-a-node-is-added",
        "waiting-gang-is-bound-when-a-node-grows", "waiting-gang-is-bound-when-a-node-is-uncordoned",
        "freed-pod-by-pod-room-starts-the-gang", "big-gang-gets-its-turn-behind-small-ones",
        "twenty-gangs-compete-and-none-is-split", "hundred-gangs-drain-through-room-for-three",
        "gangs-and-pods-in-turns-all-start", "api-server-restarted-while-a-gang-waits",
        "controllers-restarted-while-a-gang-waits", "store-that-hangs-while-a-gang-waits",
    )  # fmt: skip
    quick = True

    def attempt(self, unit: Unit, space: Room, found: list[Unit]) -> None:
        if unit.key not in self.told:
            super().attempt(unit, space, found)


class Trickles(Honest):
    """Binds the members of a gang seconds apart, holding the first ones while the last ones wait."""

    caught_by = (
        "gang-that-fits-is-bound-whole", "scheduler-paused-between-first-and-last-bind",
        "store-that-hangs-between-first-and-last-bind",
    )  # fmt: skip
    quick = True

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        for pod, node in placement:
            self.bind(pod, node)
            if len(placement) > 1:
                time.sleep(3.0)


class ShutsTheDoor(Honest):
    """Lets nobody join a gang that has started."""

    caught_by = (
        "further-members-join-the-running-gang", "replacement-joins-the-running-gang",
        "recreated-member-of-the-same-name-joins-the-running-gang", "surplus-members-join-when-room-appears",
        "members-of-a-removed-node-come-back-elsewhere", "gang-submitted-again-starts-again",
    )  # fmt: skip
    started: ClassVar[set[str]] = set()

    def attempt(self, unit: Unit, space: Room, found: list[Unit]) -> None:
        if unit.key not in self.started:
            super().attempt(unit, space, found)

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement, space)
        self.started.add(unit.key)


class LastFirst(Honest):
    """Serves the least important and the latest first."""

    caught_by = ("gang-of-higher-priority-goes-first", "gang-that-came-first-goes-first")

    def order(self, found: list[Unit]) -> list[Unit]:
        return list(reversed(super().order(found)))


class CountsStrangers(Honest):
    """Counts members of a gang of the same name in another namespace, or of a like-named gang, towards the quorum."""

    caught_by = ("gang-of-the-same-name-elsewhere-does-not-count",)
    quick = True

    def missing(self, unit: Unit, found: list[Unit]) -> int:
        strangers = [other for other in found if other is not unit and _alike(other.name, unit.name) and unit.is_gang]
        return max(0, unit.quorum - len(unit.bound) - sum(len(s.pending) + len(s.bound) for s in strangers))


class TakesStrangers(Honest):
    """Places pods that have chosen another scheduler."""

    caught_by = ("pods-for-another-scheduler-are-left-alone", "members-for-two-schedulers-do-not-start-apart")

    def mine(self, pod: Object) -> bool:
        return True


class Spins(Honest):
    """Never rests."""

    caught_by = ("scheduler-rests-while-a-gang-waits",)

    def run(self) -> None:
        threading.Thread(target=self._spin, daemon=True).start()
        super().run()

    def _spin(self) -> None:
        while True:
            self.told = dict(self.told)


def _alike(one: str, other: str) -> bool:
    return one == other or one.startswith(other) or other.startswith(one)
