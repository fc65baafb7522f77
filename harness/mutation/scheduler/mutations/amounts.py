"""Mutations of sums: what a node has to give, whose room is taken, and what a pod asks for."""

from __future__ import annotations

from harness.box.api import Object
from harness.mutation.base import Mutation
from harness.mutation.scheduler.reference import Reference
from harness.mutation.scheduler.room import Room


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
