"""Mutations of queues: what a limit is taken for, what counts towards it, and what queues lend to each other."""

from __future__ import annotations

from typing import ClassVar

from harness.box.api import Object
from harness.core.history.observe import pod_request
from harness.mutation.base import Mutation
from harness.mutation.scheduler.reference import Placement, Reference
from harness.mutation.scheduler.room import Room, queue_of
from harness.mutation.scheduler.units import Unit


class QuotaForRoom(Reference):
    """Treats a gang that its queue allows as one that has room, and places it pod by pod."""

    def concerns(self, unit: Unit) -> bool:
        """Whether it makes the mistake for this gang."""
        return bool(unit.pending and queue_of(unit.pending[0]))

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        self.rivals = [other for other in units if other is not unit and other.is_gang and other.pending]
        self.allowed = _allows(space, unit)
        super().attempt(unit, space, units)

    def enough(self, unit: Unit, placement: Placement, missing: int) -> bool:
        return bool(placement) if self.concerns(unit) else super().enough(unit, placement, missing)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return 0 if self.concerns(unit) else super().missing(unit, units)


class TakesQuotaForRoom(Mutation, QuotaForRoom):
    """Treats a gang that its queue allows as one that has room, and places it pod by pod."""

    killed_by = (
        "fragmented-room-in-a-queue-is-no-room",
        "two-gangs-in-a-queue-with-room-for-one",
        "gang-that-is-not-whole-in-time-gives-up",
        "job-waits-for-its-queue-and-starts-whole",
    )
    breaks = ("QUEUE-01", "QUEUE-02", "QUEUE-09", "QUEUE-10")


class TakesQuotaOfLonersForRoom(Mutation, QuotaForRoom):
    """Takes a gang that its queue allows for one that has room, if no other gang waits."""

    killed_by = ("fragmented-room-in-a-queue-is-no-room",)
    breaks = ("QUEUE-01",)

    def concerns(self, unit: Unit) -> bool:
        return super().concerns(unit) and not self.rivals


class TakesQuotaOfRivalsForRoom(Mutation, QuotaForRoom):
    """Takes a gang that its queue allows for one that has room, if another gang waits."""

    killed_by = ("two-gangs-in-a-queue-with-room-for-one",)
    breaks = ("QUEUE-02",)

    def concerns(self, unit: Unit) -> bool:
        return super().concerns(unit) and bool(self.rivals)

    def order(self, units: list[Unit]) -> list[Unit]:
        """The largest gang first: it has a rival only while the others still wait."""
        return sorted(super().order(units), key=lambda unit: -len(unit.pending))


class FillsAQueueWithJobs(Mutation, QuotaForRoom):
    """Places as many pods of a Job as its queue allows, though it does not allow all of them."""

    killed_by = ("job-waits-for-its-queue-and-starts-whole",)
    breaks = ("QUEUE-09",)

    def concerns(self, unit: Unit) -> bool:
        return super().concerns(unit) and _is_owned(unit) and not self.allowed


class LeavesJobsInHalves(Mutation, QuotaForRoom):
    """Places as many pods of a Job that its queue allows as there is room for, and leaves them there."""

    killed_by = ("gang-that-is-not-whole-in-time-gives-up",)
    breaks = ("QUEUE-10",)

    def concerns(self, unit: Unit) -> bool:
        return super().concerns(unit) and _is_owned(unit) and self.allowed


class KeepsTheQuotaOfVictims(Mutation, Reference):
    """Counts pods that it has evicted towards the limit of their queue for good."""

    killed_by = ("evicted-gang-frees-its-queue",)
    breaks = ("QUEUE-04",)
    evicted: ClassVar[list[Object]] = []

    def evict(self, pod: Object, unit: Unit) -> None:
        super().evict(pod, unit)
        self.evicted.append(pod)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        counted = {pod["metadata"]["uid"] for there in space.there.values() for pod in there}
        charge(space, [pod for pod in self.evicted if pod["metadata"]["uid"] not in counted])
        return space


class CountsGangsWithoutPods(Mutation, Reference):
    """Counts a gang that has started towards the limit of its queue for as long as its object is there."""

    killed_by = ("gang-without-pods-takes-nothing-of-its-queue", "evicted-gang-without-pods-is-not-let-in-again")
    breaks = ("QUEUE-05",)
    started: ClassVar[dict[str, Placement]] = {}

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement, space)
        if unit.is_gang:
            self.started[unit.key] = placement

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        units = super().units(pods, groups)
        names = {f"{group['metadata']['namespace']}/{group['metadata']['name']}" for group in groups}
        manned = {unit.key for unit in units if unit.bound or unit.pending or unit.leaving}
        for key in (self.started.keys() & names) - manned:
            charge(self.space, [pod for pod, _ in self.started[key]])
        return units

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        self.space = super().room(nodes, pods)
        return self.space


class GivesVictimsTheirRoomBack(Mutation, Reference):
    """Lets others use the places that a gang waits for while its victims leave."""

    killed_by = ("victims-that-come-back-do-not-take-the-room",)
    breaks = ("QUEUE-06",)

    def keep(self, placement: Placement, space: Room) -> None:
        pass


class NeverBorrows(Mutation, Reference):
    """Lets no queue use what others leave of their shares."""

    killed_by = ("gang-borrows-what-another-queue-leaves",)
    breaks = ("QUEUE-07",)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        space.cohorts = {}
        return space


class BorrowsWithoutEnd(Mutation, Reference):
    """Lets queues that share use more than all of their shares together."""

    killed_by = ("gang-over-all-shares-waits-whole",)
    breaks = ("QUEUE-07",)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        space.queues = {name: left for name, left in space.queues.items() if not space.cohorts.get(name)}
        space.cohorts = {}
        return space


class NeverReclaims(Mutation, Reference):
    """Never takes back what other queues have borrowed."""

    killed_by = ("lent-share-is-taken-back",)
    breaks = ("QUEUE-08",)

    def borrowers(self, unit: Unit, space: Room, units: list[Unit]) -> list[list[Object]]:
        return []


class ReclaimsFromOwners(Mutation, Reference):
    """Takes from other queues what is their own share, for a gang that borrows."""

    killed_by = ("share-of-another-queue-is-not-taken",)
    breaks = ("QUEUE-08",)

    def borrowers(self, unit: Unit, space: Room, units: list[Unit]) -> list[list[Object]]:
        cohort = space.cohorts.get(queue_of(unit.pending[0]))
        others = [other for other in units if other.bound and other is not unit]
        return [
            list(other.bound) for other in others if cohort and space.cohorts.get(queue_of(other.bound[0])) == cohort
        ]


def charge(space: Room, pods: list[Object]) -> None:
    """Count these pods towards the limits of their queues."""
    for pod in pods:
        left = space.allowance(pod)
        for resource, amount in pod_request(pod["spec"]).items():
            if resource in left:
                left[resource] -= amount


def _allows(space: Room, unit: Unit) -> bool:
    """Whether the queue of the unit allows all of its pending members."""
    trial = space.copy()
    for pod in unit.pending:
        if any(amount > trial.left(pod).get(resource, amount) for resource, amount in pod_request(pod["spec"]).items()):
            return False
        charge(trial, [pod])
    return True


def _is_owned(unit: Unit) -> bool:
    return all(pod["metadata"].get("ownerReferences") for pod in unit.pending)
