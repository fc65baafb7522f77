"""Mutations of sums: what a node has to give, whose room is taken, and what a pod asks for."""

from __future__ import annotations

from harness.box.api import Object
from harness.core.gang import GPU
from harness.core.history.observe import pod_request
from harness.core.quantity import milli, millis, plain
from harness.mutation.base import Mutation
from harness.mutation.scheduler.mutations.filters import PLENTY, Overlooking
from harness.mutation.scheduler.reference import Reference
from harness.mutation.scheduler.room import Room

COUNTED = frozenset(("cpu", "memory", "ephemeral-storage", GPU))


class CountsCapacity(Mutation, Reference):
    """Takes the capacity of a node for what it has to give."""

    killed_by = (
        "gang-fits-what-others-left",
        "processors-that-run-out-hold-the-gang",
        "memory-that-runs-out-holds-the-gang",
        "storage-that-runs-out-holds-the-gang",
    )
    breaks = ("GANG-04",)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        statuses = [{**node["status"], "allocatable": node["status"]["capacity"]} for node in nodes]
        return super().room([{**node, "status": status} for node, status in zip(nodes, statuses, strict=True)], pods)


class TakesTheRoomOfTheLeaving(Mutation, Reference):
    """Takes the room of pods that are being deleted for free."""

    killed_by = ("room-of-leaving-pods-is-no-room",)
    breaks = ("GANG-04",)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        return super().room(nodes, [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]])


class KeepsTheRoomOfTheFailed(Mutation, Reference):
    """Keeps the room of pods that have failed."""

    killed_by = ("gang-that-fails-frees-its-room",)
    breaks = ("GANG-26", "WL-65")

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        return super().room(nodes, [_running(pod) if pod["status"].get("phase") == "Failed" else pod for pod in pods])


class CountsKnownResourcesOnly(Mutation, Overlooking):
    """Counts processors, memory, storage and GPUs, and no other resource that a pod requests."""

    killed_by = ("extended-resource-that-runs-out-holds-the-gang",)
    breaks = ("GANG-04", "GANG-42")

    def reads(self, spec: Object) -> Object:
        return {**spec, "containers": [_with_requests(part, _counted(_requests(part))) for part in spec["containers"]]}


class TakesTheUnnamedForEndless(Mutation, Reference):
    """Takes a resource that a node does not name for endless there."""

    killed_by = ("extended-resource-that-runs-out-holds-the-gang",)
    breaks = ("GANG-04", "GANG-42")

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        requested = {resource for pod in pods for resource in pod_request(pod["spec"])}
        for name, node in space.nodes.items():
            space.free[name].update(dict.fromkeys(requested - node["status"]["allocatable"].keys(), PLENTY))
        return space


class AddsInitContainersUp(Mutation, Overlooking):
    """Counts the init containers of a pod as if they ran at the same time."""

    killed_by = ("only-the-largest-init-container-takes-room",)
    breaks = ("GANG-01",)

    def reads(self, spec: Object) -> Object:
        inits = spec.get("initContainers") or ()
        total: dict[str, int] = {}
        for part in inits:
            for resource, amount in millis(_requests(part)).items():
                total[resource] = total.get(resource, 0) + amount
        amounts = {resource: plain(amount) for resource, amount in total.items()}
        return {**spec, "initContainers": [_with_requests(part, amounts) for part in inits[:1]]}


class RoundsProcessorsUp(Mutation, Overlooking):
    """Rounds up to whole processors what a container requests that wants more than one."""

    killed_by = ("fractions-of-processors-fill-a-node",)
    breaks = ("GANG-01",)

    def reads(self, spec: Object) -> Object:
        return {**spec, "containers": [_with_requests(part, _rounded(_requests(part))) for part in spec["containers"]]}


def _running(pod: Object) -> Object:
    return {**pod, "status": {**pod["status"], "phase": "Running"}}


def _requests(container: Object) -> dict[str, str]:
    return dict((container.get("resources") or {}).get("requests") or {})


def _with_requests(container: Object, amounts: dict[str, str]) -> Object:
    return {**container, "resources": {"requests": amounts}}  # without limits, which count where no request is stated


def _counted(amounts: dict[str, str]) -> dict[str, str]:
    return {resource: amount for resource, amount in amounts.items() if resource in COUNTED}


def _rounded(amounts: dict[str, str]) -> dict[str, str]:
    processors = milli(amounts.get("cpu", "0"))
    return {**amounts, "cpu": str(-(-processors // 1000))} if processors > 1000 else amounts
