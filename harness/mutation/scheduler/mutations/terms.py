"""Mutations of terms: what a gang asks for beside its quorum, each ignored by one of them."""

from __future__ import annotations

from typing import ClassVar

from harness.box.api import Object
from harness.mutation.base import Mutation
from harness.mutation.scheduler.reference import Placement, Reference
from harness.mutation.scheduler.room import Room
from harness.mutation.scheduler.units import COMMUNITY, GANG, MINIMUM, Unit


class IgnoresQueues(Mutation, Reference):
    """Gives a queue more than it may use."""

    killed_by = (
        "gang-over-the-limit-of-its-queue-waits-whole",
        "gang-starts-when-its-queue-is-freed",
        "full-queue-does-not-hold-back-another",
        "gangs-that-fill-a-quota-hold-back-nobody-outside",
    )
    breaks = ("GANG-25",)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        space.queues = {}
        return space


class KeepsQueuesBelow(Mutation, Reference):
    """Refuses the pod that would fill a queue exactly."""

    killed_by = ("gang-within-the-limit-of-its-queue-is-bound-whole",)
    breaks = ("GANG-25",)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        for left in space.queues.values():
            left.update({resource: amount - 1 for resource, amount in left.items()})
        return space


class IgnoresDomainsOfRoles(Mutation, Reference):
    """Keeps a gang together where it asks for that, and not its roles."""

    killed_by = (
        "roles-are-placed-inside-a-domain-each",
        "role-without-a-large-enough-domain-holds-back-all",
    )
    breaks = ("KAI-03",)

    def parts(self, unit: Unit) -> list[tuple[list[Object], list[Object], str]]:
        return [(unit.pending, unit.bound, "")]


class TakesOwnedPodsApart(Mutation, Reference):
    """Takes pods that somebody owns for single pods, whatever they ask for."""

    killed_by = (
        "job-that-asks-for-a-gang-is-one-or-its-user-is-told",
        "job-in-room-for-a-part-starts-as-documented",
        "deployment-in-room-for-a-part-starts-as-documented",
        "stateful-set-in-room-for-a-part-starts-as-documented",
    )
    breaks = ("GANG-61", "GANG-62")

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        return super().units(_apart(pods), groups)


class TakesDeclaredPodsApart(Mutation, Reference):
    """Takes pods that somebody owns for single pods, and tells their user."""

    killed_by = ("job-in-room-for-a-part-starts-as-documented",)
    breaks = ("GANG-61",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        return super().units(_apart(pods), groups)

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement, space)
        for pod, _ in placement if not unit.is_gang else ():
            self.api.create(_warning(pod, "TakenApart", "gangs of owned pods are not known here"))


class Scatters(Mutation, Reference):
    """Takes the emptiest node for each member, in whatever domain that is."""

    killed_by = (
        "gang-is-placed-inside-one-domain",
        "gang-starts-when-its-domain-is-freed",
        "two-gangs-take-a-domain-each",
        "gang-without-a-large-enough-domain-binds-nothing",
        "replacement-returns-to-the-domain",
    )
    breaks = ("GANG-24",)

    def domains(self, unit: Unit, space: Room) -> list[list[str]]:
        return [sorted(space.nodes)]

    def fill(self, pods: list[Object], space: Room, nodes: list[str]) -> Placement:
        placement: Placement = []
        trial = space.copy()
        for pod in pods:
            emptiest = sorted(nodes, key=lambda name: (len(trial.there[name]), name))
            placement += super().fill([pod], trial, emptiest)
            for placed, node in placement[-1:]:
                if placed is pod:
                    trial.take(pod, node)
        return placement


class CountsRolesTogether(Mutation, Reference):
    """Starts a gang with its quorum, of whatever roles that is made."""

    killed_by = ("minima-of-roles-are-each-met",)
    breaks = ("GANG-32", "KOORD-47")

    def enough(self, unit: Unit, placement: Placement, missing: int) -> bool:
        return len(placement) >= max(1, missing)


class OverlooksTheTotal(Mutation, Reference):
    """Starts a gang whose members fit, whatever it declares to need in total."""

    killed_by = ("gang-that-declares-more-than-there-is-waits",)
    breaks = ("GANG-40",)

    def has_total(self, unit: Unit, space: Room) -> bool:
        return True


class StartsApart(Mutation, Reference):
    """Starts a gang without those that it must start with."""

    killed_by = (
        "gangs-of-a-group-start-together",
        "gang-that-does-not-fit-holds-its-group",
        "group-of-gangs-spans-namespaces",
        "roles-with-minima-are-gangs-of-one-group",
        "groups-of-gangs-in-turns-start-whole",
    )
    breaks = ("GANG-33", "KOORD-29", "KOORD-30")

    def together(self, unit: Unit, placement: Placement, space: Room, units: list[Unit]) -> bool:
        return True


class OverlooksOtherNamespaces(Mutation, Reference):
    """Starts a gang without those of other namespaces that it must start with."""

    killed_by = ("group-of-gangs-spans-namespaces",)
    breaks = ("KOORD-13",)

    def together(self, unit: Unit, placement: Placement, space: Room, units: list[Unit]) -> bool:
        near = [key for key in unit.terms.get("together", "").split() if key.startswith(f"{unit.namespace}/")]
        unit.terms["together"] = " ".join(near)
        return super().together(unit, placement, space, units)


class ReadsObjectsOnly(Mutation, Reference):
    """Knows gangs by their objects alone, whatever the pods say."""

    killed_by = (
        "annotations-alone-declare-a-gang",
        "annotations-of-pods-go-before-the-object",
        "keys-of-the-community-declare-a-gang",
    )
    breaks = ("KOORD-03", "KOORD-04", "KOORD-11")

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        declared = int(((unit.group or {}).get("data") or {}).get("quorum", 1000 if unit.is_gang else 1))
        return max(0, declared - len(unit.bound))


class OverlooksAnnotations(Mutation, Reference):
    """Overlooks the minimum that pods state of a gang without an object."""

    killed_by = ("annotations-alone-declare-a-gang",)
    breaks = ("KOORD-03",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        declared = {_home(group) for group in groups}
        return super().units([pod if _home(pod) in declared else _without_annotations(pod) for pod in pods], groups)


class OverlooksKeysOfTheCommunity(Mutation, Reference):
    """Does not know the keys of the community."""

    killed_by = ("keys-of-the-community-declare-a-gang",)
    breaks = ("KOORD-04",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        return super().units([_without_key_of_the_community(pod) for pod in pods], groups)


class PutsObjectsFirst(Mutation, Reference):
    """Goes by the object of a gang where its pods say something else."""

    killed_by = ("annotations-of-pods-go-before-the-object",)
    breaks = ("KOORD-11",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        declared = {_home(group) for group in groups}
        return super().units([_without_annotations(pod) if _home(pod) in declared else pod for pod in pods], groups)


class LetsGo(Mutation, Reference):
    """Keeps no places for a gang that is not strict."""

    killed_by = ("nonstrict-gang-keeps-its-places",)
    breaks = ("KOORD-25",)

    def hold(self, unit: Unit, placement: Placement, space: Room) -> None:
        pass


class NeverStartsWhatItHolds(Mutation, Reference):
    """Keeps the places of a gang that is not strict, and does not bind it when the missing room appears."""

    killed_by = ("nonstrict-gang-keeps-its-places",)
    breaks = ("KOORD-26",)
    held: ClassVar[set[str]] = set()

    def hold(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().hold(unit, placement, space)
        self.held.add(unit.key)

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        if unit.key in self.held:
            return self.hold(unit, placement, space)
        return super().start(unit, placement, space)


class NeverLetsGo(Mutation, Reference):
    """Keeps the places of gangs that are not strict after those are gone."""

    killed_by = ("nonstrict-gangs-deleted-while-they-hold-leave-the-room",)
    breaks = ("GANG-13",)
    holds: ClassVar[dict[str, Placement]] = {}

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        for place in self.holds.values():
            for pod, node in place:
                if node in space.free:
                    space.take(pod, node)
        return space

    def hold(self, unit: Unit, placement: Placement, space: Room) -> None:
        self.holds.setdefault(unit.key, placement)


class ForgetsTheTime(Mutation, Reference):
    """Never finds that the time of a gang is over."""

    killed_by = (
        "gang-out-of-time-fails-for-good",
        "gang-after-a-failed-one-starts",
        "soft-gang-starts-in-part-when-its-time-is-over",
        "shorter-time-lets-go-while-a-longer-one-still-holds",
    )
    breaks = ("GANG-23", "GANG-34", "KOORD-14")

    def late(self, unit: Unit) -> bool:
        return False


class HoldsBeyondTheTime(Mutation, Reference):
    """Goes on keeping places for a gang whose time is over."""

    killed_by = ("shorter-time-lets-go-while-a-longer-one-still-holds", "wait-time-of-pods-counts")
    breaks = ("GANG-23", "KOORD-37")

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if self.late(unit) and "nonstrict" in unit.terms.get("style", ""):
            self.hold(unit, self.place(unit, space), space)
        super().attempt(unit, space, units)


class NeverFailsGangs(Mutation, Reference):
    """Goes on refusing a gang whose time is over, and does not let it fail."""

    killed_by = ("gang-out-of-time-fails-for-good",)
    breaks = ("GANG-34",)

    def fail(self, unit: Unit) -> None:
        self.refuse(unit, "its time is over")


class RemembersTheFailed(Mutation, Reference):
    """Never places a gang of the name of another whose time was over."""

    killed_by = ("gang-after-a-failed-one-starts",)
    breaks = ("KOORD-40",)

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if unit.key not in self.overdue:
            super().attempt(unit, space, units)


class ReadsTheTimeOfPodsOnly(Mutation, Reference):
    """Goes by the wait time that pods state, and not by that of their object."""

    killed_by = ("shorter-time-lets-go-while-a-longer-one-still-holds",)
    breaks = ("KOORD-14",)

    def late(self, unit: Unit) -> bool:
        return unit.group is None and super().late(unit)


class GuessesTheUnreadable(Mutation, Reference):
    """Reads an invalid minimum as 1."""

    killed_by = ("terms-that-cannot-be-read-are-reported",)
    breaks = ("GANG-41",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        return super().units([_stating(pod, "1") if not _stated(pod).isdigit() else pod for pod in pods], groups)


class TakesTheSmallestMinimum(Mutation, Reference):
    """Goes by the smallest minimum that a member states."""

    killed_by = ("members-that-state-different-minima-are-reported",)
    breaks = ("GANG-41",)

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        minima: dict[str, set[int]] = {}
        for pod in pods:
            if MINIMUM in (pod["metadata"].get("annotations") or {}) and _stated(pod).isdigit():
                minima.setdefault(_home(pod), set()).add(int(_stated(pod)))
        changed = [_stating(pod, str(min(minima[_home(pod)]))) if _home(pod) in minima else pod for pod in pods]
        return super().units(changed, groups)


def _home(pod: Object) -> str:
    return f"{pod['metadata']['namespace']}/{(pod['metadata'].get('labels') or {}).get(GANG, '')}"


def _stated(pod: Object) -> str:
    """The minimum that a pod states itself; "0" if it states none."""
    return str((pod["metadata"].get("annotations") or {}).get(MINIMUM, "0"))


def _apart(pods: list[Object]) -> list[Object]:
    """The pods, without labels if somebody owns them."""
    return [
        {**pod, "metadata": {**pod["metadata"], "labels": {}}} if pod["metadata"].get("ownerReferences") else pod
        for pod in pods
    ]


def _warning(pod: Object, reason: str, message: str) -> Object:
    meta = pod["metadata"]
    involved = {"apiVersion": "v1", "kind": "Pod", **{part: meta[part] for part in ("namespace", "name", "uid")}}
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"generateName": f"{meta['name']}.", "namespace": meta["namespace"]},
        "involvedObject": involved,
        "reason": reason,
        "message": message,
        "type": "Warning",
    }


def _without_annotations(pod: Object) -> Object:
    return {**pod, "metadata": {**pod["metadata"], "annotations": {}}}


def _without_key_of_the_community(pod: Object) -> Object:
    labels = {**(pod["metadata"].get("labels") or {}), COMMUNITY: ""}
    return {**pod, "metadata": {**pod["metadata"], "labels": labels}}


def _stating(pod: Object, minimum: str) -> Object:
    annotations = {**(pod["metadata"].get("annotations") or {}), MINIMUM: minimum}
    return {**pod, "metadata": {**pod["metadata"], "annotations": annotations}}
