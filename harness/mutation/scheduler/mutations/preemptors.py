"""Mutations of preemption: gangs whose quorum is below their size, victims that leave, and priorities below zero."""

from __future__ import annotations

from harness.box.api import Object
from harness.mutation.base import Mutation
from harness.mutation.scheduler.mutations.filters import Overlooking
from harness.mutation.scheduler.reference import Placement, Reference
from harness.mutation.scheduler.room import Room
from harness.mutation.scheduler.units import Unit


class WastesVictims(Mutation, Reference):
    """Makes room for all members of a gang, and starts its quorum alone."""

    killed_by = ("preemptor-with-a-quorum-below-its-size-wastes-no-victim",)
    breaks = ("GANG-20", "GANG-21", "WL-70")

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if not unit.is_gang or not unit.at_quorum:
            super().attempt(unit, space, units)

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        return super().preempt(unit, space, units, max(missing, len(unit.pending)))

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement[: max(1, unit.quorum - len(unit.bound))], space)


class PreemptsForAllOrNobody(Mutation, Reference):
    """Evicts for a gang only if all of its members fit then."""

    killed_by = ("preemptor-starts-with-the-quorum-that-it-can-get",)
    breaks = ("WL-69", "WL-82")

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        return super().preempt(unit, space, units, max(missing, len(unit.pending)))


class NeverPreemptsForLateMembers(Mutation, Reference):
    """Evicts no pod for a member that joins a gang which runs."""

    killed_by = ("late-member-evicts-no-more-than-it-needs",)
    breaks = ("GANG-14", "WL-45")

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        return not unit.bound and super().preempt(unit, space, units, missing)


class EvictsForSurplusInVain(Mutation, Reference):
    """Evicts a pod for surplus members, and does not place them."""

    killed_by = ("surplus-evicts-nobody-in-vain",)
    breaks = ("GANG-20", "GANG-21", "WL-76")

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if not unit.is_gang or not unit.at_quorum:
            return super().attempt(unit, space, units)
        for victims in self.victims(unit, units)[:1]:
            self.evict(victims[0], unit)
        return None


class WaitsForItsVictims(Mutation, Reference):
    """Places nothing of higher priority while pods are being deleted."""

    killed_by = ("gang-starts-elsewhere-while-its-victims-are-leaving",)
    breaks = ("WL-74",)

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if not space.leaving or not unit.priority:
            super().attempt(unit, space, units)


class EvictsOneAfterAnother(Mutation, Reference):
    """Evicts a single victim for a gang and chooses the next one when that is gone."""

    killed_by = ("victims-of-a-gang-are-chosen-in-one-step",)
    breaks = ("WL-77",)

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        self.evicted = False
        return bool(space.leaving) or super().preempt(unit, space, units, missing)

    def evict(self, pod: Object, unit: Unit) -> None:
        if not self.evicted:
            self.evicted = True
            super().evict(pod, unit)


class PreemptsForEachMember(Mutation, Reference):
    """Lets each member of a gang evict its own victim, one after another, if the gang can start in the end."""

    killed_by = ("victims-of-a-gang-are-chosen-in-one-step",)
    breaks = ("WL-76", "WL-77")
    trying = False

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        self.trying = True
        helps = super().preempt(unit, space.copy(), units, missing)
        self.trying = False
        next_member = len(self.place(unit, space)) + 1
        return helps and super().preempt(unit, space, units, min(missing, next_member))

    def evict(self, pod: Object, unit: Unit) -> None:
        if not self.trying:
            super().evict(pod, unit)


class SticksToItsFirstChoice(Mutation, Reference):
    """Evicts once for a gang, and never again."""

    killed_by = ("new-victims-are-chosen-when-the-first-are-in-vain",)
    breaks = ("WL-69", "WL-75")

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        if unit.key in self.preemptors:
            return False
        evicted = super().preempt(unit, space, units, missing)
        self.preemptors |= {unit.key} if evicted else set()
        return evicted

    def run(self) -> None:
        self.preemptors: set[str] = set()
        super().run()


class TakesNegativePrioritiesForZero(Mutation, Overlooking):
    """Takes a priority below zero for none."""

    killed_by = ("gang-without-a-priority-preempts-pods-below-zero",)
    breaks = ("WL-69",)

    def reads(self, spec: Object) -> Object:
        return {**spec, "priority": max(0, spec.get("priority") or 0)}
