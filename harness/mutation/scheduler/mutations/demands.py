"""Mutations of what members demand of other pods, of ports, volumes and devices: each demand is ignored once.

A demand is ignored for all members of gangs, while it holds for single pods.
"""

from __future__ import annotations

from harness.box.api import Object
from harness.mutation.base import Mutation
from harness.mutation.scheduler.filters import fits
from harness.mutation.scheduler.mutations.filters import Lenient
from harness.mutation.scheduler.reference import Placement, Reference
from harness.mutation.scheduler.room import Room
from harness.mutation.scheduler.units import Unit


class IgnoresAntiAffinity(Mutation, Lenient):
    """Places members beside pods that they exclude."""

    killed_by = (
        "gang-keeps-away-from-pods-that-it-excludes",
        "gang-with-too-few-nodes-without-excluded-pods-binds-nothing",
        "gang-with-too-few-nodes-to-spread-binds-nothing",
    )
    breaks = ("WL-47", "WL-81")

    ignored = "anti-affinity"


class IgnoresAntiAffinityForOneMember(Mutation, Lenient):
    """Places one member on the node of another that it excludes."""

    killed_by = ("gang-with-too-few-nodes-to-spread-binds-nothing",)
    breaks = ("WL-47",)

    ignored, one_member = "anti-affinity", True


class PutsExclusiveMembersTogether(Mutation, Lenient):
    """Places members of a gang that exclude each other on the same node."""

    killed_by = ("gang-with-one-member-per-node-is-bound-whole",)
    breaks = ("WL-47",)

    def fits(self, pod: Object, node: str, space: Room) -> bool:
        both = {"anti-affinity", "anti-affinity-of-others"}  # one of them is enough to keep two members apart
        return fits(space, pod, node, both if pod["metadata"]["uid"] in self.exempt else ())


class IgnoresNodeAffinity(Mutation, Lenient):
    """Places gangs on nodes that their affinity does not allow."""

    killed_by = (
        "gang-uses-only-nodes-that-its-affinity-allows",
        "gang-with-too-few-nodes-of-its-affinity-binds-nothing",
    )
    breaks = ("WL-47", "WL-81")

    ignored = "node-affinity"


class IgnoresAffinity(Mutation, Lenient):
    """Does not look for the pods that members ask for."""

    killed_by = (
        "members-that-ask-for-each-other-share-a-zone",
        "gang-with-no-zone-for-all-its-members-binds-nothing",
        "gang-is-bound-near-the-pod-that-it-asks-for",
        "gang-without-room-near-the-pod-that-it-asks-for-binds-nothing",
    )
    breaks = ("WL-47", "WL-81")

    ignored = "affinity"


class IgnoresAntiAffinityOfOthers(Mutation, Lenient):
    """Places members beside pods that exclude them."""

    killed_by = (
        "gang-keeps-away-from-pods-that-exclude-it",
        "gang-with-too-few-nodes-without-pods-that-exclude-it-binds-nothing",
    )
    breaks = ("WL-47", "WL-81")

    ignored = "anti-affinity-of-others"


class IgnoresSpread(Mutation, Lenient):
    """Fills nodes with members that are to be spread."""

    killed_by = (
        "members-to-be-spread-are-bound-evenly",
        "gang-that-cannot-be-spread-binds-nothing",
    )
    breaks = ("WL-47", "WL-81")

    ignored = "spread"


class IgnoresPorts(Mutation, Lenient):
    """Gives a port of a host to several members."""

    killed_by = (
        "members-with-a-host-port-get-a-node-each",
        "gang-with-too-few-nodes-for-its-host-port-binds-nothing",
        "host-port-of-another-pod-holds-the-gang",
    )
    breaks = ("WL-81",)

    ignored = "ports"


class IgnoresVolumes(Mutation, Lenient):
    """Places members where they cannot have their volumes."""

    killed_by = (
        "members-are-bound-where-their-volumes-are",
        "gang-with-too-few-volumes-binds-nothing",
    )
    breaks = ("WL-81",)

    ignored = "volumes"


class SharesVolumesForOnePod(Mutation, Lenient):
    """Lets several members use a volume that is for one pod."""

    killed_by = ("gang-that-shares-a-volume-for-one-pod-binds-nothing",)
    breaks = ("WL-81",)

    ignored = "volumes-for-one-pod"


class IgnoresDevices(Mutation, Lenient):
    """Places members where they cannot have their devices."""

    killed_by = (
        "members-get-the-devices-that-they-claim",
        "gang-with-too-few-devices-binds-nothing",
        "devices-that-others-have-hold-the-gang",
        "members-that-share-a-device-are-bound-beside-it",
        "gang-without-room-beside-its-shared-device-binds-nothing",
    )
    breaks = ("WL-81",)

    ignored = "devices"


class KeepsWhatItChose(Mutation, Reference):
    """Gives volumes and devices to the members that fit before it knows whether the gang does."""

    killed_by = (
        "gang-with-too-few-volumes-binds-nothing",
        "gang-with-too-few-devices-binds-nothing",
        "gang-without-room-beside-its-shared-device-binds-nothing",
    )
    breaks = ("GANG-06",)

    def place(self, unit: Unit, space: Room) -> Placement:
        placement = super().place(unit, space)
        trial = space.copy()
        for pod, node in placement:
            trial.take(pod, node)
            self.give(pod, trial)
        return placement


class GivesADeviceTwice(Mutation, Reference):
    """Allocates the first devices of a node to every claim."""

    killed_by = ("members-get-the-devices-that-they-claim", "gang-with-too-few-devices-binds-nothing")
    breaks = ("GANG-11", "WL-81")

    def fits(self, pod: Object, node: str, space: Room) -> bool:
        space.claims.chosen_devices.clear()
        return super().fits(pod, node, space)


class LosesVolumesForOnePod(Mutation, Reference):
    """Never places members whose volumes are for one pod."""

    killed_by = ("members-with-volumes-for-one-pod-are-bound-whole",)
    breaks = ("WL-81",)

    def fits(self, pod: Object, node: str, space: Room) -> bool:
        exclusive = space.claims.exclusive(pod)
        return not exclusive and super().fits(pod, node, space)


class TriesOneOrder(Mutation, Reference):
    """Places the first member where it fits, and gives up if the others do not fit beside it."""

    killed_by = ("members-that-ask-for-each-other-find-the-zone-with-room",)
    breaks = ("GANG-47", "WL-84")

    def turns(self, pods: list[Object], nodes: list[str]) -> list[list[str]]:
        return [nodes]
