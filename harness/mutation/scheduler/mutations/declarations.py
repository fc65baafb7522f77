"""Mutations of how gangs are declared: by labels, by objects and by lists of other gangs."""

from __future__ import annotations

import time

from harness.box.api import Object
from harness.core.kinds import POD
from harness.mutation.base import CANARY, Mutation
from harness.mutation.scheduler.reference import Placement, Reference
from harness.mutation.scheduler.room import Room
from harness.mutation.scheduler.units import GANG, MINIMUM, Unit


def _gang(pod: Object) -> str:
    return str((pod["metadata"].get("labels") or {}).get(GANG, ""))


class OverlooksLabels(Mutation, Reference):
    """Finds members by their annotations alone, whatever gang their label names."""

    killed_by = ("gang-that-fits-is-bound-whole",)
    breaks = ("KOORD-02",)

    def mine(self, pod: Object) -> bool:
        annotated = MINIMUM in (pod["metadata"].get("annotations") or {})
        return super().mine(pod) and (annotated or _gang(pod) in ("", CANARY))


class ExpectsMoreThanTheMinimum(Mutation, Reference):
    """Waits for a further member of gangs that state a minimum and no total number."""

    killed_by = ("annotations-alone-declare-a-gang",)
    breaks = ("KOORD-06",)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return super().missing(unit, units) + bool(unit.is_gang and unit.group is None and not unit.bound)


class MisreadsMinimaOfObjects(Mutation, Reference):
    """Adds one to the minimum that an object states, and reads the minima of pods as they are."""

    killed_by = ("gang-starts-with-its-quorum",)
    breaks = ("KOORD-01",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        units = super().units(pods, groups)
        for unit in units:
            stated = (unit.group or {}).get("data", {}).get("quorum", "1")
            unit.quorum += bool(unit.quorum > 1 and stated == str(unit.quorum))
        return units


class OverlooksTheModeOfObjects(Mutation, Reference):
    """Treats every gang that an object declares as strict, whatever mode the object states."""

    killed_by = ("nonstrict-gang-keeps-its-places",)
    breaks = ("KOORD-10",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        units = super().units(pods, groups)
        for unit in units:
            if unit.group is not None:
                unit.terms.pop("style", None)
        return units


class MisreadsLists(Mutation, Reference):
    """Reads a list of gangs as names without namespaces, and so finds none of them."""

    killed_by = ("gangs-of-a-group-start-together",)
    breaks = ("KOORD-12",)

    def together(self, unit: Unit, placement: Placement, space: Room, units: list[Unit]) -> bool:
        names = unit.terms.get("together", "").split()
        unit.terms["together"] = " ".join(f"{unit.namespace}/{name}" for name in names if name != unit.key)
        return super().together(unit, placement, space, units)


class TakesGroupsForOne(Mutation, Reference):
    """Waits for all gangs that start with any others, as if they were one group."""

    killed_by = ("groups-of-gangs-in-turns-start-whole",)
    breaks = ("KOORD-48",)

    def together(self, unit: Unit, placement: Placement, space: Room, units: list[Unit]) -> bool:
        if unit.terms.get("together"):
            unit.terms["together"] = " ".join(other.key for other in units if other.terms.get("together"))
        return super().together(unit, placement, space, units)


class WaitsForNobody(Mutation, Reference):
    """Takes an empty list of gangs to start with for gangs that are not there yet."""

    killed_by = ("empty-list-of-gangs-names-no-others",)
    breaks = ("KOORD-08", "KOORD-32")

    def together(self, unit: Unit, placement: Placement, space: Room, units: list[Unit]) -> bool:
        return unit.terms.get("together") != "" and super().together(unit, placement, space, units)


class GoesByTheStatedSize(Mutation, Reference):
    """Takes the total number that a gang states for its minimum."""

    killed_by = ("gang-starts-with-its-minimum-whatever-total-it-states",)
    breaks = ("KOORD-49",)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        unit.quorum = int(unit.terms.get("stated-size", unit.quorum))
        return super().missing(unit, units)


class ReadsTheTimeOfObjectsOnly(Mutation, Reference):
    """Goes by the wait time that an object states, and not by that of pods."""

    killed_by = ("wait-time-of-pods-counts",)
    breaks = ("KOORD-50",)

    def late(self, unit: Unit) -> bool:
        return unit.group is not None and super().late(unit)


class StaysStrict(Mutation, Reference):
    """Counts the quorum of a gang that has started whatever its match policy says."""

    killed_by = ("satisfied-gang-that-lost-most-members-is-refilled-pod-by-pod",)
    breaks = ("KOORD-33",)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return max(0, unit.quorum - len(unit.bound))


class SatisfiedByOne(Mutation, Reference):
    """Treats every gang with a bound member as satisfied, whatever its match policy says."""

    killed_by = (
        "gang-that-counts-running-members-waits-for-its-quorum",
        "gang-that-counts-waiting-members-only-starts-in-batches",
    )
    breaks = ("KOORD-51",)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return 0 if unit.bound else super().missing(unit, units)


class StartsTheClockAnew(Mutation, Reference):
    """Counts the wait time of a gang from its last attempt and not from the first."""

    killed_by = ("shorter-time-lets-go-while-a-longer-one-still-holds",)
    breaks = ("KOORD-36",)

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        super().attempt(unit, space, units)
        self.last[unit.key] = time.monotonic()

    def late(self, unit: Unit) -> bool:
        limit = float(unit.terms.get("timeout", "inf"))
        return super().late(unit) and time.monotonic() - self.last.get(unit.key, time.monotonic()) > limit

    def run(self) -> None:
        self.last: dict[str, float] = {}
        super().run()


class DeletesOrphans(Mutation, Reference):
    """Deletes pods whose gang is declared nowhere yet."""

    killed_by = ("pods-before-their-group-wait-for-it",)
    breaks = ("WL-18",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        declared = {(group["metadata"]["namespace"], _gang(group)) for group in groups}
        for pod in pods:
            home = (pod["metadata"]["namespace"], _gang(pod))
            alive = "deletionTimestamp" not in pod["metadata"]
            if alive and self.mine(pod) and home[1] not in ("", CANARY) and home not in declared:
                self.api.delete(POD, home[0], pod["metadata"]["name"], grace=0)
        return super().units(pods, groups)
