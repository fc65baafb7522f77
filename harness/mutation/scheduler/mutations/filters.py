"""Mutations of filters: members that are let onto nodes which a rule of Kubernetes takes away from them.

Each rule is ignored once for all members of gangs, while it holds for single pods, and once for one member of a gang.
Each resource and each part of a request is left out of the sum once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from harness.box.api import Object
from harness.mutation.base import Mutation
from harness.mutation.scheduler.filters import fits
from harness.mutation.scheduler.reference import Placement, Reference
from harness.mutation.scheduler.room import Room
from harness.mutation.scheduler.units import GANG, Unit

PLENTY = 10**12  # thousandths of whatever it is


class Lenient(Reference):
    """Ignores a filter for members of gangs, or for one member of each."""

    ignored: ClassVar[str] = ""
    one_member: ClassVar[bool] = False
    exempt: frozenset[str] = frozenset()

    def fill(self, pods: list[Object], space: Room, nodes: list[str]) -> Placement:
        members = [pod["metadata"]["uid"] for pod in pods if GANG in (pod["metadata"].get("labels") or {})]
        self.exempt = frozenset(members[-1:] if self.one_member else members)
        return super().fill(pods, space, nodes)

    def fits(self, pod: Object, node: str, space: Room) -> bool:
        return fits(space, pod, node, {self.ignored} if pod["metadata"]["uid"] in self.exempt else ())


class IgnoresTaints(Mutation, Lenient):
    """Places gangs on tainted nodes."""

    killed_by = ("gang-keeps-off-tainted-nodes",)
    breaks = ("GANG-11", "WL-47")

    ignored = "taints"


class IgnoresTaintsForOneMember(Mutation, Lenient):
    """Places one member of a gang on a tainted node."""

    killed_by = ("taint-holds-the-last-member", "taint-that-evicts-keeps-the-gang-off")
    breaks = ("GANG-11", "WL-47")

    ignored, one_member = "taints", True


class IgnoresSelectors(Mutation, Lenient):
    """Places gangs on nodes that they do not select."""

    killed_by = ("gang-uses-only-nodes-it-selects",)
    breaks = ("GANG-11", "WL-47")

    ignored = "selectors"


class IgnoresSelectorsForOneMember(Mutation, Lenient):
    """Places one member of a gang on a node that it does not select."""

    killed_by = ("selector-of-one-member-holds-the-gang",)
    breaks = ("GANG-11", "WL-47")

    ignored, one_member = "selectors", True


class IgnoresEvictingTaints(Mutation, Reference):
    """Knows taints that keep pods off, and not those that evict them as well."""

    killed_by = ("taint-that-evicts-keeps-the-gang-off",)
    breaks = ("GANG-11", "WL-47")

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        return super().room([_with_taints(node, lambda taint: taint["effect"] != "NoExecute") for node in nodes], pods)


class Misreading(Reference):
    """Reads the tolerations of members of gangs otherwise than they are."""

    def reads_as(self, toleration: Object) -> Object | None:
        """What it takes a toleration for; None: for none."""
        return toleration

    def fits(self, pod: Object, node: str, space: Room) -> bool:
        if GANG in (pod["metadata"].get("labels") or {}):
            readings = [self.reads_as(toleration) for toleration in pod["spec"].get("tolerations") or ()]
            tolerations = [reading for reading in readings if reading is not None]
            pod = {**pod, "spec": {**pod["spec"], "tolerations": tolerations}}
        return super().fits(pod, node, space)


class IgnoresTolerations(Mutation, Misreading):
    """Keeps gangs off tainted nodes, whatever they tolerate."""

    killed_by = ("gang-that-tolerates-a-taint-uses-its-nodes",)
    breaks = ("GANG-11", "WL-47")

    def reads_as(self, toleration: Object) -> Object | None:
        return None


class ComparesKeysOnly(Mutation, Misreading):
    """Lets a gang tolerate every taint of a key, whatever value and effect it states."""

    killed_by = ("toleration-of-another-value-holds-the-gang", "toleration-of-another-effect-holds-the-gang")
    breaks = ("GANG-11", "WL-47")

    def reads_as(self, toleration: Object) -> Object | None:
        return {"key": toleration.get("key", ""), "operator": "Exists"}


class OverlooksEffectsOfTolerations(Mutation, Misreading):
    """Lets a gang tolerate taints of every effect, whatever effect it states."""

    killed_by = ("toleration-of-another-effect-holds-the-gang",)
    breaks = ("GANG-11", "WL-47")

    def reads_as(self, toleration: Object) -> Object | None:
        return {**toleration, "effect": ""}


class Boundless(Reference):
    """Takes some resources of every node for endless."""

    endless: ClassVar[tuple[str, ...]] = ()

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        for free in space.free.values():
            free.update(dict.fromkeys(self.endless, PLENTY))
        return space


class CountsGpusOnly(Mutation, Boundless):
    """Counts GPUs and pods, and no other resource of a node."""

    killed_by = (
        "processors-that-run-out-hold-the-gang",
        "memory-that-runs-out-holds-the-gang",
        "storage-that-runs-out-holds-the-gang",
    )
    breaks = ("GANG-04", "GANG-42")

    endless = ("cpu", "memory", "ephemeral-storage")


class IgnoresProcessors(Mutation, Boundless):
    """Puts more on a node than it has processors for."""

    killed_by = ("processors-that-run-out-hold-the-gang",)
    breaks = ("GANG-04", "GANG-42")

    endless = ("cpu",)


class IgnoresMemory(Mutation, Boundless):
    """Puts more on a node than it has memory for."""

    killed_by = ("memory-that-runs-out-holds-the-gang",)
    breaks = ("GANG-04", "GANG-42")

    endless = ("memory",)


class IgnoresStorage(Mutation, Boundless):
    """Puts more on a node than its disks hold."""

    killed_by = ("storage-that-runs-out-holds-the-gang",)
    breaks = ("GANG-04", "GANG-42")

    endless = ("ephemeral-storage",)


class IgnoresPodLimits(Mutation, Boundless):
    """Puts more pods on a node than it takes."""

    killed_by = ("room-for-pods-counts-too",)
    breaks = ("GANG-04",)

    endless = ("pods",)


class Overlooking(Reference):
    """Reads pods without a part of their spec, so that what this part requests does not count."""

    def reads(self, spec: Object) -> Object:
        """What it reads of a pod's spec."""
        return spec

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        return super().units([{**pod, "spec": self.reads(pod["spec"])} for pod in pods], groups)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        return super().room(nodes, [{**pod, "spec": self.reads(pod["spec"])} for pod in pods])


class IgnoresOverhead(Mutation, Overlooking):
    """Does not count what the runtime of a pod needs."""

    killed_by = ("overhead-of-a-runtime-takes-room",)
    breaks = ("GANG-04", "GANG-42")

    def reads(self, spec: Object) -> Object:
        return {**spec, "overhead": {}}


class IgnoresInitContainers(Mutation, Overlooking):
    """Does not count init containers that end before the others start."""

    killed_by = ("large-init-container-takes-room",)
    breaks = ("GANG-04", "GANG-42")

    def reads(self, spec: Object) -> Object:
        return {**spec, "initContainers": [init for init in spec.get("initContainers") or () if _is_sidecar(init)]}


class IgnoresSidecars(Mutation, Overlooking):
    """Does not count sidecars."""

    killed_by = ("sidecars-take-room",)
    breaks = ("GANG-04", "GANG-42")

    def reads(self, spec: Object) -> Object:
        return {**spec, "initContainers": [init for init in spec.get("initContainers") or () if not _is_sidecar(init)]}


class IgnoresRequestsOfPods(Mutation, Overlooking):
    """Counts what containers request, and not what their pod requests as a whole."""

    killed_by = ("request-of-a-whole-pod-takes-room",)
    breaks = ("GANG-04", "GANG-42")

    def reads(self, spec: Object) -> Object:
        return {**spec, "resources": {}}


class IgnoresPodsOfOthers(Mutation, Reference):
    """Does not count the pods that other schedulers have placed."""

    killed_by = ("two-schedulers-share-the-nodes", "pods-of-other-schedulers-take-room")
    breaks = ("GANG-30", "GANG-43")

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        return super().room(nodes, [pod for pod in pods if self.mine(pod)])


def _with_taints(node: Object, keeps: Callable[[Object], bool]) -> Object:
    taints = [taint for taint in node["spec"].get("taints") or () if keeps(taint)]
    return {**node, "spec": {**node["spec"], "taints": taints}}


def _is_sidecar(container: Object) -> bool:
    return bool(container.get("restartPolicy") == "Always")
