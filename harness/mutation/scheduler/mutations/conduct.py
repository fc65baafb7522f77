"""Mutations of what a scheduler writes about gangs, and of the order in which it takes and binds them."""

from __future__ import annotations

from typing import ClassVar

from harness.box.api import Object
from harness.core.errors import ApiError
from harness.core.kinds import POD
from harness.mutation.base import Mutation
from harness.mutation.scheduler.reference import Placement, Reference
from harness.mutation.scheduler.room import Room
from harness.mutation.scheduler.units import Unit


class NeverNominates(Mutation, Reference):
    """Binds members without having nominated them."""

    killed_by = ("members-are-nominated-before-they-are-bound",)
    breaks = ("WL-51",)

    def nominate(self, pod: Object, node: str) -> None:
        pass


class SaysNothingOfLimits(Mutation, Reference):
    """Refuses gangs whose members depend on each other in the same words as any other."""

    killed_by = ("refusal-of-members-that-depend-on-each-other-says-so",)
    breaks = ("WL-59",)

    def hint(self, unit: Unit) -> str:
        return ""


class NeverMarks(Mutation, Reference):
    """Does not mark gangs whose time is over."""

    killed_by = ("gang-out-of-time-is-marked",)
    breaks = ("KOORD-38",)

    def mark(self, unit: Unit) -> None:
        pass


class TriesTheOverdueAgain(Mutation, Reference):
    """Places a gang whose time was over when room appears."""

    killed_by = ("gang-out-of-time-is-not-placed-again",)
    breaks = ("KOORD-39",)

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        placement = self.place(unit, space)
        if self.late(unit) and self.enough(unit, placement, self.missing(unit, units)):
            return self.start(unit, placement, space)
        return super().attempt(unit, space, units)


class IgnoresItsOwnTime(Mutation, Reference):
    """Lets gangs wait for ever that do not say how long."""

    killed_by = ("gang-without-a-time-has-that-of-the-scheduler",)
    breaks = ("KOORD-09",)

    def late(self, unit: Unit) -> bool:
        return unit.is_late(None)


class CutsWaitsShort(Mutation, Reference):
    """Lets no gang wait longer than a few seconds."""

    killed_by = ("wait-times-beyond-a-quarter-of-an-hour-are-cut-short",)
    breaks = ("KOORD-41",)
    longest: ClassVar[int] = 3

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        units = super().units(pods, groups)
        for unit in units:
            if "timeout" in unit.terms:
                unit.terms["timeout"] = str(min(self.longest, int(unit.terms["timeout"])))
        return units


class AgesByPods(Mutation, Reference):
    """Takes a gang for as old as its first pod, whenever it was declared."""

    killed_by = ("gang-declared-first-is-first-in-the-queue",)
    breaks = ("KOORD-43",)

    def order(self, units: list[Unit]) -> list[Unit]:
        def age(unit: Unit) -> str:
            return min((str(pod["metadata"]["creationTimestamp"]) for pod in unit.pending), default="")

        return sorted(super().order(units), key=lambda unit: (-unit.priority, age(unit)))


class TakesAllBack(Mutation, Reference):
    """Takes back all members of a gang when the bind of one is refused."""

    killed_by = ("member-whose-bind-fails-is-taken-back-alone",)
    breaks = ("KOORD-34",)

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        self.refused = False
        super().start(unit, placement, space)
        for pod, _ in placement if self.refused else ():
            self.api.delete(POD, unit.namespace, pod["metadata"]["name"], grace=0)

    def bind(self, pod: Object, node: str) -> None:
        try:
            super().bind(pod, node)
        except ApiError:
            self.refused = True
            raise
