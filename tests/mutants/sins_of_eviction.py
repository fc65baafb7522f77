"""Schedulers that choose their victims wrongly, one law each; see `sins.py`."""

from __future__ import annotations

from itertools import zip_longest

from honest import Honest
from room import Room
from units import Unit

from harness.box.api import Object


class EvictsInVain(Honest):
    """Evicts everything of lower priority first and looks afterwards whether the gang fits."""

    caught_by = ("nobody-is-evicted-for-a-gang-that-cannot-fit", "no-more-victims-than-needed")
    quick = True

    def preempt(self, unit: Unit, space: Room, found: list[Unit], missing: int) -> bool:
        victims = [pod for other in found if other.priority < unit.priority for pod in other.bound]
        for victim in victims:
            self.evict(victim, unit)
        return bool(victims)


class ClearsTheField(Honest):
    """Evicts everything of lower priority when a gang appears, complete or not, with room or without."""

    caught_by = (
        "gang-that-fits-evicts-nobody", "gang-below-its-quorum-never-preempts", "gated-gang-never-preempts",
        "gang-may-start-elsewhere-while-victims-leave",
    )  # fmt: skip

    def attempt(self, unit: Unit, space: Room, found: list[Unit]) -> None:
        for victim in [pod for other in found if other.priority < unit.priority for pod in other.bound]:
            self.evict(victim, unit)
        super().attempt(unit, space, found)


class PicksAgain(Honest):
    """Does not count on victims that are on their way out, and picks others."""

    caught_by = ("no-second-round-of-victims-while-the-first-is-leaving",)

    def preempt(self, unit: Unit, space: Room, found: list[Unit], missing: int) -> bool:
        space.leaving = []
        return super().preempt(unit, space, found, missing)


class EvictsItsEquals(Honest):
    """Preempts whoever is in its way, whatever the priorities say."""

    caught_by = (
        "gang-of-equal-priority-is-never-a-victim", "gang-of-lower-priority-never-preempts",
        "gang-that-must-not-preempt-waits",
    )  # fmt: skip
    quick = True

    def preempt(self, unit: Unit, space: Room, found: list[Unit], missing: int) -> bool:
        victims = [pod for other in found if other is not unit for pod in other.bound]
        for victim in victims:
            self.evict(victim, unit)
        return bool(victims)


class NeverPreempts(Honest):
    """Lets the important wait behind the unimportant."""

    caught_by = ("gang-preempts-and-starts-whole", "single-pod-preempts-a-single-pod")

    def preempt(self, unit: Unit, space: Room, found: list[Unit], missing: int) -> bool:
        return False


class TearsVictims(Honest):
    """Takes single members out of gangs that demand to fall whole."""

    caught_by = ("victim-gang-falls-whole", "victim-gang-falls-whole-for-a-single-pod")
    quick = True

    def victims(self, unit: Unit, found: list[Unit]) -> list[list[Object]]:
        return [[pod] for chunk in super().victims(unit, found) for pod in chunk]


class IgnoresBudgets(Honest):
    """Does not look at disruption budgets."""

    caught_by = ("budget-is-honoured-where-others-can-fall",)

    def guarded(self) -> list[tuple[str, dict[str, str]]]:
        return []


class SparesTheLowest(Honest):
    """Evicts the most important of those that it may evict."""

    caught_by = ("only-the-lowest-priority-is-evicted",)

    def victims(self, unit: Unit, found: list[Unit]) -> list[list[Object]]:
        return list(reversed(super().victims(unit, found)))


class BreaksGangs(Honest):
    """Takes a member of each gang in turn, from its core first."""

    caught_by = ("one-gang-is-broken-rather-than-two", "minima-of-roles-are-respected-in-victims")

    def victims(self, unit: Unit, found: list[Unit]) -> list[list[Object]]:
        below = [other for other in found if other.bound and other.priority < unit.priority]
        hearts = [sorted(other.bound, key=other.surplus.__contains__) for other in below]
        return [[pod] for turn in zip_longest(*hearts) for pod in turn if pod is not None]


class FellsGangs(Honest):
    """Takes all of a gang where its surplus would do."""

    caught_by = ("surplus-is-evicted-before-a-gang-is-broken", "surplus-is-gathered-over-gangs")

    def victims(self, unit: Unit, found: list[Unit]) -> list[list[Object]]:
        return [list(other.bound) for other in found if other.bound and other.priority < unit.priority]
