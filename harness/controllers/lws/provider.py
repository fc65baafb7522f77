"""REFERENCE: gangs for the replicas of LeaderWorkerSets on schedulers that no version of LeaderWorkerSet supports.

KEP-407 names Volcano, Coscheduling and YuniKorn; LeaderWorkerSet 0.9.0 has a provider for Volcano only. What the design
calls a scheduler provider is here a service beside the LeaderWorkerSet controller: admission sets the gang of every
pod, and a scheduler with group objects gets one for each leader. It exists to judge the design's clauses, not for
production.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.controllers.lws import sets as sets
from harness.controllers.registry import lws_provider
from harness.controllers.runtime.admission import Answer, FieldError, Handler, Review
from harness.controllers.runtime.cache import Cache, key_of
from harness.controllers.runtime.client import Client, Object
from harness.controllers.runtime.queue import Key
from harness.controllers.runtime.service import Controller, Watch
from harness.core.kinds import LEADER_WORKER_SET, POD, Kind

GROUP = Kind("scheduling.x-k8s.io/v1alpha1", "PodGroup", "podgroups")
GROUP_LABEL = "scheduling.x-k8s.io/pod-group"


class Coscheduling:
    """A PodGroup for each leader, called as the leader is, and its name on every pod of the replica."""

    name = "lws-provider"

    def __init__(self, client: Client, cache: Cache) -> None:
        self.client = client
        self.cache = cache

    @property
    def watches(self) -> Sequence[Watch]:
        """A group has the name of its leader, so both wake the same key."""
        return (
            Watch(LEADER_WORKER_SET, lambda lws: ()),
            Watch(POD, lambda pod: [key_of(pod)], selector=sets.LEADERS),
            Watch(GROUP, lambda group: [key_of(group)]),
        )

    @property
    def admission(self) -> Mapping[str, Handler]:
        return {"/mutate-pod": self.place}

    # -- admission ----------------------------------------------------------------------------------------------------

    def place(self, review: Review) -> Answer:
        """Set the label of the group on the pod; a pod that is created too early is rejected and created again."""
        pod = review.object
        name = self.group_name(pod)
        if reason_to_wait := self.reason_to_wait(review.namespace, pod, name):
            return Answer(errors=[FieldError.invalid(f"metadata.labels[{GROUP_LABEL}]", name, reason_to_wait)])
        return Answer(patch=sets.put("labels", {GROUP_LABEL: name}, pod))

    def reason_to_wait(self, namespace: str, pod: Object, group: str) -> str:
        """Why a pod may not join its group yet; empty if it may.

        A new replica has the group name of the old one, and the scheduler counts pods by that name: workers that are
        still terminating would let the new leader start alone.
        """
        if not sets.is_leader(pod):
            return "" if self.client.get(GROUP, namespace, group) else "the PodGroup of the replica does not exist yet"
        replica = f"{sets.SET_LABEL}={sets.set_name(pod)},{sets.INDEX_LABEL}={sets.replica_index(pod)}"
        others = [other for other in self.client.list(POD, namespace, replica) if not sets.is_leader(other)]
        return "workers of a former leader are still there" if others else ""

    def group_name(self, pod: Object) -> str:
        return f"{sets.set_name(pod)}-{sets.replica_index(pod)}"

    # -- groups -------------------------------------------------------------------------------------------------------

    def reconcile(self, key: Key) -> float | None:
        """Ensure a group for the leader; an existing group stays, unless it belongs to an earlier leader."""
        leader = self.cache.get(POD, *key)
        if leader is None or "deletionTimestamp" in leader["metadata"]:
            return None  # the garbage collector deletes its group
        namespace, name = key[0], sets.set_name(leader)
        lws = self.cache.get(LEADER_WORKER_SET, namespace, name) or self.client.get(LEADER_WORKER_SET, namespace, name)
        if lws is None:
            return None  # deleted; the leader follows
        group = self.cache.get(GROUP, namespace, self.group_name(leader))
        if group is None:
            self.make(lws, leader)
        elif self.stale(group, leader):
            self.client.delete(GROUP, namespace, group["metadata"]["name"], uid=group["metadata"]["uid"])
        return None  # the change triggers the next reconcile

    def stale(self, group: Object, leader: Object) -> bool:
        """Whether an earlier leader of this name owns the group: it will be deleted, and is not the new leader's."""
        owners = [owner for owner in group["metadata"].get("ownerReferences") or () if owner.get("controller")]
        return any(owner["kind"] == "Pod" and owner["uid"] != leader["metadata"]["uid"] for owner in owners)

    def make(self, lws: Object, leader: Object) -> None:
        group = self.group(lws, leader)
        self.client.create(GROUP, group)
        start = "the leader goes first" if sets.goes_first(lws) else "all start together"
        message = f"made PodGroup {group['metadata']['name']} for {sets.size(leader)} pods, of which {start}"
        self.client.event(lws, "PodGroupCreated", message)

    def group(self, lws: Object, leader: Object) -> Object:
        meta = leader["metadata"]
        labels = {sets.SET_LABEL: sets.set_name(leader), sets.INDEX_LABEL: sets.replica_index(leader)}
        return {
            "apiVersion": GROUP.api_version,
            "kind": GROUP.kind,
            "metadata": {
                "name": self.group_name(leader),
                "namespace": meta["namespace"],
                "labels": labels,
                "ownerReferences": self.owners(lws, leader),
            },
            "spec": {"minMember": self.minimum(lws, leader), "minResources": self.resources(lws, leader)},
        }

    def owners(self, lws: Object, leader: Object) -> list[Object]:
        meta = leader["metadata"]
        return [
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "name": meta["name"],
                "uid": meta["uid"],
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ]

    def minimum(self, lws: Object, leader: Object) -> int:
        """All pods of the replica, or the leader alone if workers are created only when their leader is ready."""
        return 1 if sets.goes_first(lws) else sets.size(leader)

    def resources(self, lws: Object, leader: Object) -> dict[str, str]:
        """The requests of the whole replica, under either policy: a leader alone is useless."""
        return sets.total(lws, leader)


def make(client: Client, cache: Cache, provider: str) -> Controller:
    """The provider for this scheduler."""
    controller: Controller = lws_provider(provider)(client, cache)
    return controller
