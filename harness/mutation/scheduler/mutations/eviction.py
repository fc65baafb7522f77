"""Mutations of preemption: who is evicted, for whom and when."""

from __future__ import annotations

import time
from itertools import zip_longest
from typing import ClassVar

from harness.box.api import Api, Object
from harness.mutation.base import Mutation
from harness.mutation.scheduler.reference import Placement, Reference
from harness.mutation.scheduler.room import Room
from harness.mutation.scheduler.units import Unit


class EvictsInVain(Mutation, Reference):
    """Evicts everything of lower priority first and looks afterwards whether the gang fits."""

    killed_by = ("nobody-is-evicted-for-a-gang-that-cannot-fit", "no-more-victims-than-needed")
    breaks = ("GANG-20", "GANG-21", "WL-70")
    quick = True

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        victims = [pod for other in units if other.priority < unit.priority for pod in other.bound]
        for victim in victims:
            self.evict(victim, unit)
        return bool(victims)


class EvictsForTheHopeless(Mutation, Reference):
    """Evicts a pod for a gang that would not fit even if all others were gone."""

    killed_by = ("nobody-is-evicted-for-a-gang-that-cannot-fit",)
    breaks = ("GANG-20", "WL-70")

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        if super().preempt(unit, space, units, missing):
            return True
        for victims in self.victims(unit, units)[:1]:
            self.evict(victims[0], unit)
        return False


class ClearsTheField(Mutation, Reference):
    """Evicts everything of lower priority when a gang appears, complete or not, with room or without."""

    killed_by = (
        "gang-that-fits-evicts-nobody",
        "gang-below-its-quorum-never-preempts",
        "gated-gang-never-preempts",
        "gang-may-start-elsewhere-while-victims-leave",
    )
    breaks = ("GANG-20", "GANG-21", "WL-74")

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        for victim in [pod for other in units if other.priority < unit.priority for pod in other.bound]:
            self.evict(victim, unit)
        super().attempt(unit, space, units)


class PicksAgain(Mutation, Reference):
    """Does not count on victims that are on their way out, and picks others."""

    killed_by = ("no-second-round-of-victims-while-the-first-is-leaving",)
    breaks = ("GANG-21", "WL-73", "WL-75")

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        space.leaving = []
        return super().preempt(unit, space, units, missing)


class EvictsItsEquals(Mutation, Reference):
    """Evicts the pods that are in its way, whatever their priority is."""

    killed_by = (
        "gang-of-equal-priority-is-never-a-victim",
        "gang-of-lower-priority-never-preempts",
        "gang-that-must-not-preempt-waits",
    )
    breaks = ("GANG-21",)
    quick = True

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        victims = [pod for other in units if other is not unit for pod in other.bound]
        for victim in victims:
            self.evict(victim, unit)
        return bool(victims)


class NeverPreempts(Mutation, Reference):
    """Never evicts anything for a gang of higher priority."""

    killed_by = ("gang-preempts-and-starts-whole",)
    breaks = ("WL-69",)

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        return not unit.is_gang and super().preempt(unit, space, units, missing)


class NeverPreemptsForPods(Mutation, Reference):
    """Never evicts anything for a single pod of higher priority."""

    killed_by = ("single-pod-preempts-a-single-pod",)
    breaks = ("WL-72",)

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        return unit.is_gang and super().preempt(unit, space, units, missing)


class TearsVictims(Mutation, Reference):
    """Evicts single members of gangs that may only be evicted whole."""

    killed_by = ("victim-gang-falls-whole", "victim-gang-falls-whole-for-a-single-pod")
    breaks = ("GANG-22",)
    quick = True

    def victims(self, unit: Unit, units: list[Unit]) -> list[list[Object]]:
        return [[pod] for chunk in super().victims(unit, units) for pod in chunk]


class IgnoresBudgets(Mutation, Reference):
    """Does not look at disruption budgets."""

    killed_by = ("budget-is-honoured-where-others-can-fall",)
    breaks = ("GANG-21",)

    def guarded(self) -> list[tuple[str, dict[str, str]]]:
        return []


class SparesTheLowest(Mutation, Reference):
    """Evicts the pods of the highest priority that it may evict."""

    killed_by = ("only-the-lowest-priority-is-evicted",)
    breaks = ("GANG-21",)

    def victims(self, unit: Unit, units: list[Unit]) -> list[list[Object]]:
        return list(reversed(super().victims(unit, units)))


class BreaksGangs(Mutation, Reference):
    """Evicts a member of each gang in turn, those of its quorum first."""

    killed_by = ("one-gang-is-broken-rather-than-two", "minima-of-roles-are-respected-in-victims")
    breaks = ("GANG-31",)

    def victims(self, unit: Unit, units: list[Unit]) -> list[list[Object]]:
        below = [other for other in units if other.bound and other.priority < unit.priority]
        hearts = [sorted(other.bound, key=other.surplus.__contains__) for other in below]
        return [[pod] for turn in zip_longest(*hearts) for pod in turn if pod is not None]


class FellsGangs(Mutation, Reference):
    """Evicts a whole gang where its surplus would be enough."""

    killed_by = ("surplus-is-evicted-before-a-gang-is-broken", "surplus-is-gathered-over-gangs")
    breaks = ("GANG-31",)

    def victims(self, unit: Unit, units: list[Unit]) -> list[list[Object]]:
        return [list(other.bound) for other in units if other.bound and other.priority < unit.priority]


class EvictsOneMore(Mutation, Reference):
    """Evicts one pod more than the gang needs."""

    killed_by = ("no-more-victims-than-needed",)
    breaks = ("GANG-21", "WL-71")

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        self.spared = [pod for chunk in self.victims(unit, units) for pod in chunk]
        evicted = super().preempt(unit, space, units, missing)
        if evicted and self.spared and not space.leaving:
            super().evict(self.spared[0], unit)
        return evicted

    def evict(self, pod: Object, unit: Unit) -> None:
        self.spared = [other for other in self.spared if other is not pod]
        super().evict(pod, unit)


class PreemptsPodByPod(Mutation, Reference):
    """Evicts for a single member, whether the gang can start then or not."""

    killed_by = ("nobody-is-evicted-for-a-gang-that-cannot-fit", "member-whose-gang-cannot-start-evicts-nobody")
    breaks = ("GANG-20", "WL-70", "WL-76")

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        return super().preempt(unit, space, units, min(missing, len(self.place(unit, space)) + 1))


class EvictsStepByStep(Mutation, Reference):
    """Evicts one victim in each round, not all of them at once."""

    killed_by = ("victim-gang-falls-whole",)
    breaks = ("GANG-22",)

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        self.left = 1
        return super().preempt(unit, space, units, missing)

    def evict(self, pod: Object, unit: Unit) -> None:
        if self.left:
            self.left -= 1
            super().evict(pod, unit)


class KeepsBrokenGangs(Mutation, Reference):
    """Never evicts a gang that stays below its quorum."""

    killed_by = ("gang-that-stays-broken-is-evicted-whole",)
    breaks = ("KAI-01",)

    def dissolve(self, units: list[Unit]) -> None:
        return


class EvictsBrokenGangsAtOnce(Mutation, Reference):
    """Evicts a gang as soon as it is below its quorum."""

    killed_by = ("gang-that-stays-broken-is-evicted-whole",)
    breaks = ("KAI-01",)

    grace = 0.0


class NeverMovesPods(Mutation, Reference):
    """Leaves running pods where they are, although a gang would fit if they were elsewhere."""

    killed_by = ("room-in-pieces-is-put-together",)
    breaks = ("KAI-02",)

    def consolidate(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        return False


class MovesPodsForGood(Mutation, Reference):
    """Evicts the pods that are in the way, and never places them again."""

    killed_by = ("room-in-pieces-is-put-together",)
    breaks = ("KAI-02",)
    moved: ClassVar[set[str]] = set()

    def evict(self, pod: Object, unit: Unit) -> None:
        super().evict(pod, unit)
        self.moved.update(owner["uid"] for owner in pod["metadata"].get("ownerReferences") or ())

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        owners = {owner["uid"] for pod in unit.pending for owner in pod["metadata"].get("ownerReferences") or ()}
        if not owners & self.moved:
            super().attempt(unit, space, units)


class TakesMembersAway(Mutation, Reference):
    """Evicts a member of a gang right after the last one was bound."""

    killed_by = (
        "gang-that-fits-is-bound-whole",
        "restarted-scheduler-knows-what-runs",
        "started-gang-is-left-alone",
    )
    breaks = ("GANG-01",)

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement, space)
        if len(placement) > 1:
            self.evict(placement[-1][0], unit)


class FailsMembers(Mutation, Reference):
    """Lets a member of a gang fail right after the last one was bound."""

    killed_by = ("started-gang-is-left-alone",)
    breaks = ("GANG-01",)

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement, space)
        if len(placement) > 1:
            unit.pending = [placement[-1][0]]
            self.fail(unit)


class FailsMembersLater(Mutation, Reference):
    """Lets a member of a gang fail some seconds after the last one was bound."""

    killed_by = ("started-gang-is-left-alone",)
    breaks = ("GANG-01",)
    delay: ClassVar[float] = 3.0

    def __init__(self, api: Api, wait_time: float | None = None) -> None:
        super().__init__(api, wait_time)
        self.started: list[tuple[float, Unit]] = []

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement, space)
        if len(placement) > 1:
            unit.pending = [placement[-1][0]]
            self.started.append((time.monotonic(), unit))

    def round(self) -> None:
        super().round()
        due = [unit for since, unit in self.started if time.monotonic() - since > self.delay]
        self.started = [(since, unit) for since, unit in self.started if unit not in due]
        for unit in due:
            self.fail(unit)
