"""Mutations of the quorum: who counts towards it, and when a gang may start."""

from __future__ import annotations

import time
from typing import ClassVar

from harness.box.api import Object
from harness.mutation.base import CANARY, Mutation
from harness.mutation.scheduler.reference import Placement, Reference
from harness.mutation.scheduler.room import Room
from harness.mutation.scheduler.units import GANG, Unit


class StartsBelowTheQuorum(Mutation, Reference):
    """Starts the members that exist, if all of them fit, without waiting for the quorum."""

    killed_by = (
        "gang-below-its-quorum-waits",
        "last-member-releases-the-gang",
        "deleted-member-of-a-waiting-gang-no-longer-counts",
    )
    breaks = ("GANG-09", "WL-29", "KOORD-18")

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return min(super().missing(unit, units), len(unit.pending))


class NeedsOneMore(Mutation, Reference):
    """Adds one to the quorum of a gang."""

    killed_by = ("gang-starts-with-its-quorum",)
    breaks = ("GANG-10", "WL-38", "KOORD-01")

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        missing = super().missing(unit, units)
        return missing + 1 if missing and unit.quorum > 1 else missing


class CapsTheQuorum(Mutation, Reference):
    """Takes a quorum of more than thirty-two for thirty-two."""

    killed_by = ("gang-of-forty-members-with-room-for-all-but-one-binds-nothing",)
    breaks = ("GANG-02", "WL-35")
    most: ClassVar[int] = 32

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return max(0, min(super().missing(unit, units), self.most - len(unit.bound)))


class CountsGated(Mutation, Reference):
    """Counts members behind a scheduling gate towards the quorum."""

    killed_by = (
        "gated-member-holds-the-gang",
        "gated-gang-never-preempts",
    )
    breaks = ("GANG-09", "WL-29")

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return max(0, super().missing(unit, units) - len(unit.gated))


class CountsFailed(Mutation, Reference):
    """Counts failed members towards the quorum."""

    killed_by = ("failed-members-count-as-declared",)
    breaks = ("GANG-44",)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return max(0, super().missing(unit, units) - len(unit.failed))


class CountsSucceeded(Mutation, Reference):
    """Counts members that have succeeded towards the quorum."""

    killed_by = ("succeeded-members-count-as-declared",)
    breaks = ("GANG-44",)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return max(0, super().missing(unit, units) - len(unit.succeeded))


class CountsLeaving(Mutation, Reference):
    """Counts members that are being deleted towards the quorum."""

    killed_by = ("leaving-members-count-as-declared",)
    breaks = ("GANG-44",)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return max(0, super().missing(unit, units) - len(unit.leaving))


class OverlooksLateGroups(Mutation, Reference):
    """Never places pods that came before their group."""

    killed_by = ("pods-before-their-group-wait-for-it",)
    breaks = ("WL-27", "WL-79", "KOORD-15")

    early: ClassVar[set[str]] = set()  # uids of pods that were seen without their group

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        units = super().units(pods, groups)
        placed = {pod["metadata"]["uid"] for unit in units for pod in (*unit.pending, *unit.bound, *unit.gated)}
        self.early.update(pod["metadata"]["uid"] for pod in pods if self.mine(pod) and _waits(pod, placed))
        for unit in units:
            unit.pending = [pod for pod in unit.pending if pod["metadata"]["uid"] not in self.early]
        return units


class OverlooksEarlyGroups(Mutation, Reference):
    """Never places a gang whose group was there before its pods."""

    killed_by = ("group-before-its-pods-is-bound-whole",)
    breaks = ("GANG-15", "WL-32")
    early: ClassVar[set[str]] = set()  # gangs whose group was seen without a pod

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        units = super().units(pods, groups)
        manned = {CANARY, *(unit.name for unit in units if unit.group is not None)}
        empty = [group for group in groups if group["metadata"]["labels"][GANG] not in manned]
        self.early.update(group["metadata"]["uid"] for group in empty)
        return [unit for unit in units if unit.group is None or unit.group["metadata"]["uid"] not in self.early]


class PlacesTheUndeclared(Mutation, Reference):
    """Places pods whose group does not exist, as pods of no gang."""

    killed_by = ("pods-before-their-group-wait-for-it",)
    breaks = ("WL-26", "KOORD-15")

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        units = super().units(pods, groups)
        placed = {pod["metadata"]["uid"] for unit in units for pod in (*unit.pending, *unit.bound, *unit.gated)}
        waiting = [pod for pod in pods if self.mine(pod) and _waits(pod, placed)]
        singles = [{**pod, "metadata": {**pod["metadata"], "labels": {}}} for pod in waiting]
        return [*units, *super().units(singles, [])]


class WantsAllThatFitAlone(Mutation, Reference):
    """Waits a second for further members, and starts a gang only with all that would fit on an empty node."""

    killed_by = ("gang-starts-with-its-quorum",)
    breaks = ("WL-38",)
    arrivals: ClassVar[dict[str, float]] = {}

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        self.empty = super().room(nodes, [])
        return super().room(nodes, pods)

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        now = time.monotonic()
        ages = [now - self.arrivals.setdefault(pod["metadata"]["uid"], now) for pod in unit.pending]
        if not unit.is_gang or min(ages) > 1.0:
            super().attempt(unit, space, units)

    def enough(self, unit: Unit, placement: Placement, missing: int) -> bool:
        fitting = [pod for pod in unit.pending if self.fill([pod], self.empty, sorted(self.empty.nodes))]
        return super().enough(unit, placement, max(missing, len(fitting)) if not unit.bound else missing)


class ForgetsTheSurplus(Mutation, Reference):
    """Never tries a member again that found no room beside its running gang."""

    killed_by = ("surplus-members-join-when-room-appears",)
    breaks = ("WL-39",)
    surplus: ClassVar[set[str]] = set()

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        unit.pending = [pod for pod in unit.pending if pod["metadata"]["uid"] not in self.surplus]
        if unit.pending:
            super().attempt(unit, space, units)

    def refuse(self, unit: Unit, message: str) -> None:
        super().refuse(unit, message)
        self.surplus.update(pod["metadata"]["uid"] for pod in unit.pending if unit.bound)


class SurplusFirst(Mutation, Reference):
    """Gives room to the surplus of a running gang before the quorum of a waiting one."""

    killed_by = ("quorum-goes-before-surplus",)
    breaks = ("GANG-46",)

    def order(self, units: list[Unit]) -> list[Unit]:
        return sorted(super().order(units), key=lambda unit: not unit.at_quorum)


class RefillsSingly(Mutation, Reference):
    """Takes in every new member of a gang that has a member left."""

    killed_by = ("gang-that-lost-members-is-refilled-as-declared",)
    breaks = ("GANG-44",)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return 0 if unit.bound else super().missing(unit, units)


class RefusesOneMember(Mutation, Reference):
    """Tells one member of a gang alone that the gang was refused."""

    killed_by = ("refusal-is-told-to-every-member",)
    breaks = ("GANG-45",)

    def refuse(self, unit: Unit, message: str) -> None:
        everyone, unit.pending = unit.pending, unit.pending[:1]
        super().refuse(unit, message)
        unit.pending = everyone


class StopsAtTheQuorum(Mutation, Reference):
    """Starts the quorum of a gang and nothing above it, room or not."""

    killed_by = ("as-many-members-start-as-fit", "surplus-members-join-when-room-appears")
    breaks = ("GANG-10", "WL-39", "WL-83")

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if not unit.is_gang or not unit.at_quorum:
            super().attempt(unit, space, units)

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement[: max(1, unit.quorum - len(unit.bound))], space)


class SinksWithItsLargest(Mutation, Reference):
    """Refuses a gang of which a member fits nowhere, even if the others are enough."""

    killed_by = ("member-that-fits-nowhere-does-not-sink-the-gang",)
    breaks = ("GANG-48", "WL-82")

    def enough(self, unit: Unit, placement: Placement, missing: int) -> bool:
        return len(placement) == len(unit.pending) and super().enough(unit, placement, missing)


class TriesTheLowestFirst(Mutation, Reference):
    """Tries members of lower priority before those of higher priority."""

    killed_by = ("members-of-higher-priority-go-first",)
    breaks = ("WL-60",)

    def rank(self, pod: Object) -> tuple[int, int]:
        priority, size = super().rank(pod)
        return -priority, size


class WaitsForAllGangs(Mutation, Reference):
    """Starts no gang before all gangs of its namespace can start."""

    killed_by = (
        "small-gang-passes-a-gang-that-cannot-fit",
        "one-of-two-gangs-wins-whole",
        "gangs-that-name-no-others-start-alone",
    )
    breaks = ("GANG-19", "KOORD-08", "KOORD-32")

    def together(self, unit: Unit, placement: Placement, space: Room, units: list[Unit]) -> bool:
        if unit.is_gang:
            gangs = [other.key for other in units if other.is_gang and other.namespace == unit.namespace]
            unit.terms["together"] = " ".join(gangs)
        return super().together(unit, placement, space, units)


class NeverStartsGroups(Mutation, Reference):
    """Never starts gangs that are to start together."""

    killed_by = (
        "gangs-of-a-group-start-together",
        "group-of-gangs-spans-namespaces",
    )
    breaks = ("KOORD-31",)

    def together(self, unit: Unit, placement: Placement, space: Room, units: list[Unit]) -> bool:
        others = set(unit.terms.get("together", "").split()) - {unit.key}
        return not others and super().together(unit, placement, space, units)


class HoldsForEverybody(Mutation, Reference):
    """Keeps the places of every gang that was refused, as if none were strict."""

    killed_by = (
        "refused-gang-keeps-nothing-from-others",
        "small-gang-passes-a-gang-that-cannot-fit",
        "gang-without-a-mode-keeps-no-places",
        "gang-whose-node-goes-away-is-given-up-at-once",
    )
    breaks = ("GANG-06", "WL-54", "KOORD-20")

    def refuse(self, unit: Unit, message: str) -> None:
        super().refuse(unit, message)
        self.waiting[unit.key] = unit

    def round(self) -> None:
        self.waiting: dict[str, Unit] = {}
        super().round()

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        super().attempt(unit, space, units)
        if unit.is_gang and unit.key in self.waiting:
            self.hold(unit, self.place(unit, space), space)


class HoldsWhereANodeWentAway(Mutation, Reference):
    """Keeps the places that a waiting gang still has when a node goes away that it counts on."""

    killed_by = ("gang-whose-node-goes-away-is-given-up-at-once",)
    breaks = ("WL-85",)
    counted_on: ClassVar[dict[str, set[str]]] = {}  # gang -> nodes of its last placement that were there then

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        super().attempt(unit, space, units)
        if not unit.is_gang or unit.key not in self.refusals:
            return
        placement = self.place(unit, space)
        nodes = self.counted_on.setdefault(unit.key, set())
        nodes.update(node for _, node in placement)
        if nodes - space.nodes.keys():
            self.hold(unit, placement, space)


class TakesNoModeForNonstrict(Mutation, Reference):
    """Keeps the places of a gang that states no mode."""

    killed_by = ("gang-without-a-mode-keeps-no-places",)
    breaks = ("KOORD-07",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        units = super().units(pods, groups)
        for unit in units:
            if unit.is_gang and not unit.terms.get("style"):
                unit.terms["style"] = "nonstrict"
        return units


def _waits(pod: Object, placed: set[str]) -> bool:
    """Whether the pod is pending and in no unit, for its group does not exist."""
    return not pod["spec"].get("nodeName") and pod["metadata"]["uid"] not in placed
