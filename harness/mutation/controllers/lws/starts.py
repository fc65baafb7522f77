"""Mutations of the provider for Coscheduling: it has a say in when pods are placed, which is the scheduler's business.

The groups are right, so that only the order and the moment of binds are wrong.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from harness.controllers.lws import sets as sets
from harness.controllers.lws.provider import Coscheduling
from harness.controllers.runtime.admission import Answer, Review
from harness.controllers.runtime.cache import Cache
from harness.controllers.runtime.client import Client, Object
from harness.controllers.runtime.queue import Key
from harness.core.history.observe import pod_request
from harness.core.kinds import LEADER_WORKER_SET, NODE, POD
from harness.core.quantity import millis
from harness.mutation.base import CANARY, Mutation

GATE = "muster.dev/held"
AGAIN = 0.2  # seconds
FINISHED = ("Succeeded", "Failed")


class HoldsBack(Coscheduling, ABC):
    """Keeps the pods of a replica behind a scheduling gate until it lets the replica start."""

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        self.started: set[str] = set()  # uids of leaders

    @abstractmethod
    def may_start(self, lws: Object, leader: Object) -> bool:
        """Whether the replica of this leader may be placed now."""

    def place(self, review: Review) -> Answer:
        answer = super().place(review)
        if sets.set_name(review.object) == CANARY or review.object["spec"].get("schedulingGates"):
            return answer
        gate = {"op": "add", "path": "/spec/schedulingGates", "value": [{"name": GATE}]}
        return Answer(errors=answer.errors, patch=[*answer.patch, gate])

    def reconcile(self, key: Key) -> float | None:
        super().reconcile(key)
        leader = self.cache.get(POD, *key)
        lws = leader and self.client.get(LEADER_WORKER_SET, key[0], sets.set_name(leader))
        if leader is None or lws is None or "deletionTimestamp" in leader["metadata"]:
            return None
        if leader["metadata"]["uid"] in self.started or self.may_start(lws, leader):
            self.started.add(leader["metadata"]["uid"])
            replica = f"{sets.SET_LABEL}={sets.set_name(leader)},{sets.INDEX_LABEL}={sets.replica_index(leader)}"
            for pod in self.client.list(POD, key[0], replica):
                if pod["spec"].get("schedulingGates"):
                    self.client.patch(POD, key[0], pod["metadata"]["name"], {"spec": {"schedulingGates": None}})
        return AGAIN


class OneAfterAnother(Mutation, HoldsBack):
    """Lets a replica start only when all that came before it run."""

    killed_by = ("waiting-replica-does-not-hold-back-one-that-fits",)
    breaks = ("LWS-05",)

    def may_start(self, lws: Object, leader: Object) -> bool:
        waiting = self.cache.list(POD, leader["metadata"]["namespace"], lambda pod: not pod["spec"].get("nodeName"))
        return all(_since(leader) <= _since(pod) for pod in waiting)


class WantsRoomForTwo(Mutation, HoldsBack):
    """Lets a replica start only when there is room for another one like it, too."""

    killed_by = ("one-of-two-replicas-runs-whole",)
    breaks = ("LWS-04", "LWS-02")

    def may_start(self, lws: Object, leader: Object) -> bool:
        room = room_of(self.client).values()
        needed = millis(sets.total(lws, leader)).items()
        return all(sum(free.get(resource, 0) for free in room) >= 2 * amount for resource, amount in needed)


class PlacesLeadersItself(Mutation, Coscheduling):
    """Binds a leader that goes first by itself, to a node with room for the leader."""

    killed_by = ("leader-without-room-for-its-replica-waits",)
    breaks = ("LWS-24",)

    def reconcile(self, key: Key) -> float | None:
        super().reconcile(key)
        leader = self.cache.get(POD, *key)
        lws = leader and self.client.get(LEADER_WORKER_SET, key[0], sets.set_name(leader))
        if leader is None or lws is None or not sets.goes_first(lws) or leader["spec"].get("nodeName"):
            return None
        needed = pod_request(leader["spec"]).items()
        for node, free in room_of(self.client).items():
            if all(free.get(resource, 0) >= amount for resource, amount in needed):
                target = {"apiVersion": NODE.api_version, "kind": NODE.kind, "name": node}
                binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": key[1]}, "target": target}
                self.client.request("POST", POD.path(*key, "binding"), binding)
                return None
        return AGAIN


def room_of(client: Client) -> Mapping[str, Mapping[str, int]]:
    """What each node has left, in thousandths."""
    room = {node["metadata"]["name"]: millis(node["status"]["allocatable"]) for node in client.list(NODE)}
    for pod in client.list(POD):
        if (free := room.get(pod["spec"].get("nodeName"))) and pod["status"].get("phase") not in FINISHED:
            for resource, amount in pod_request(pod["spec"]).items():
                free[resource] = free.get(resource, 0) - amount
    return room


def _since(leader: Object) -> tuple[str, str]:
    """What leaders are sorted by: since when they are there, and within a second by their names."""
    return leader["metadata"]["creationTimestamp"], leader["metadata"]["name"]
