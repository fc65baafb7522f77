"""Schedulers that pass over what a gang asks for beside its quorum, one term each; see `sins.py`."""

from __future__ import annotations

from typing import ClassVar

from honest import Honest, Placement
from room import Room
from units import GANG, MINIMUM, Unit

from harness.box.api import Object


class IgnoresQueues(Honest):
    """Gives a queue more than it may use."""

    caught_by = (
        "gang-over-the-limit-of-its-queue-waits-whole", "gang-starts-when-its-queue-is-freed",
        "full-queue-does-not-hold-back-another",
    )  # fmt: skip

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        space.queues = {}
        return space


class KeepsQueuesBelow(Honest):
    """Takes a queue that is filled to the brim for too full."""

    caught_by = ("gang-within-the-limit-of-its-queue-is-bound-whole",)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        for left in space.queues.values():
            left.update({resource: amount - 1 for resource, amount in left.items()})
        return space


class Scatters(Honest):
    """Takes the emptiest node for each member, in whatever domain that is."""

    caught_by = (
        "gang-is-placed-inside-one-domain", "gang-starts-when-its-domain-is-freed", "two-gangs-take-a-domain-each",
        "gang-without-a-large-enough-domain-binds-nothing", "replacement-returns-to-the-domain",
    )  # fmt: skip

    def domains(self, unit: Unit, space: Room) -> list[list[str]]:
        return [sorted(space.nodes)]

    def fill(self, pods: list[Object], space: Room, nodes: list[str]) -> Placement:
        found: Placement = []
        trial = space.copy()
        for pod in pods:
            emptiest = sorted(nodes, key=lambda name: (len(trial.there[name]), name))
            found += super().fill([pod], trial, emptiest)
            for placed, node in found[-1:]:
                if placed is pod:
                    trial.take(pod, node)
        return found


class CountsRolesTogether(Honest):
    """Starts a gang with its quorum, of whatever roles that is made."""

    caught_by = ("minima-of-roles-are-each-met",)

    def enough(self, unit: Unit, placement: Placement, missing: int) -> bool:
        return len(placement) >= max(1, missing)


class OverlooksTheTotal(Honest):
    """Starts a gang whose members fit, whatever it declares to need in total."""

    caught_by = ("gang-that-declares-more-than-there-is-waits",)

    def has_total(self, unit: Unit, space: Room) -> bool:
        return True


class StartsApart(Honest):
    """Starts a gang without those that it must start with."""

    caught_by = (
        "gangs-of-a-group-start-together", "gang-that-does-not-fit-holds-its-group",
        "group-of-gangs-spans-namespaces", "roles-with-minima-are-gangs-of-one-group",
    )  # fmt: skip

    def together(self, unit: Unit, placement: Placement, space: Room, found: list[Unit]) -> bool:
        return True


class ReadsObjectsOnly(Honest):
    """Knows gangs by their objects alone, whatever the pods say."""

    caught_by = (
        "annotations-alone-declare-a-gang", "annotations-of-pods-go-before-the-object",
        "keys-of-the-community-declare-a-gang",
    )  # fmt: skip

    def missing(self, unit: Unit, found: list[Unit]) -> int:
        said = int(((unit.group or {}).get("data") or {}).get("quorum", 1000 if unit.is_gang else 1))
        return max(0, said - len(unit.bound))


class LetsGo(Honest):
    """Keeps no places for a gang that is not strict."""

    caught_by = ("nonstrict-gang-keeps-its-places",)

    def hold(self, unit: Unit, placement: Placement, space: Room) -> None:
        pass


class NeverLetsGo(Honest):
    """Keeps the places of gangs that are not strict after those are gone."""

    caught_by = ("nonstrict-gangs-deleted-while-they-hold-leave-the-room",)
    kept: ClassVar[dict[str, Placement]] = {}

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        for place in self.kept.values():
            for pod, node in place:
                if node in space.free:
                    space.take(pod, node)
        return space

    def hold(self, unit: Unit, placement: Placement, space: Room) -> None:
        self.kept.setdefault(unit.key, placement)


class ForgetsTheTime(Honest):
    """Never finds that the time of a gang is over."""

    caught_by = (
        "gang-out-of-time-fails-for-good", "gang-after-a-failed-one-starts",
        "soft-gang-starts-in-part-when-its-time-is-over", "shorter-time-lets-go-while-a-longer-one-still-holds",
    )  # fmt: skip

    def late(self, unit: Unit) -> bool:
        return False


class GuessesTheUnreadable(Honest):
    """Takes a minimum that it cannot read for one."""

    caught_by = ("terms-that-cannot-be-read-are-reported",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        return super().units([_stating(pod, "1") if not _stated(pod).isdigit() else pod for pod in pods], groups)


class TakesTheSmallestMinimum(Honest):
    """Goes by the smallest minimum that a member states."""

    caught_by = ("members-that-state-different-minima-are-reported",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        said: dict[str, set[int]] = {}
        for pod in pods:
            if MINIMUM in (pod["metadata"].get("annotations") or {}) and _stated(pod).isdigit():
                said.setdefault(_home(pod), set()).add(int(_stated(pod)))
        changed = [_stating(pod, str(min(said[_home(pod)]))) if _home(pod) in said else pod for pod in pods]
        return super().units(changed, groups)


def _home(pod: Object) -> str:
    return f"{pod['metadata']['namespace']}/{(pod['metadata'].get('labels') or {}).get(GANG, '')}"


def _stated(pod: Object) -> str:
    """The minimum that a pod states itself; "0" if it states none."""
    return str((pod["metadata"].get("annotations") or {}).get(MINIMUM, "0"))


def _stating(pod: Object, minimum: str) -> Object:
    annotations = {**(pod["metadata"].get("annotations") or {}), MINIMUM: minimum}
    return {**pod, "metadata": {**pod["metadata"], "annotations": annotations}}
