"""REFERENCE: gangs for the replicas of LeaderWorkerSets on schedulers that no release of LeaderWorkerSet serves.

KEP-407 names Volcano, Coscheduling and YuniKorn; LeaderWorkerSet 0.9.0 has a provider for Volcano only. What the design
calls a scheduler provider is here a service beside the released controller: admission gives every pod its place, and
whoever has group objects gets one for each leader. It exists to judge the design's clauses, not to be run for real.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.controllers import lws_provider_sets as sets
from harness.controllers.admission import Answer, FieldError, Handler, Review
from harness.controllers.cache import Cache, key_of
from harness.controllers.client import Client, Kind, Object
from harness.controllers.lws_provider_sets import POD, SET
from harness.controllers.lws_provider_yunikorn import YuniKorn
from harness.controllers.queue import Key
from harness.controllers.service import Controller, MakeController, Watch

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
            Watch(SET, lambda lws: ()),
            Watch(POD, lambda pod: [key_of(pod)], selector=sets.LEADERS),
            Watch(GROUP, lambda group: [key_of(group)]),
        )

    @property
    def admission(self) -> Mapping[str, Handler]:
        return {"/mutate-pod": self.place}

    # -- admission ----------------------------------------------------------------------------------------------------

    def place(self, review: Review) -> Answer:
        """Name the group on the pod; one that comes too early has to come again."""
        pod = review.object
        name = self.group_name(pod)
        if early := self.early(review.namespace, pod, name):
            return Answer(errors=[FieldError.invalid(f"metadata.labels[{GROUP_LABEL}]", name, early)])
        return Answer(patch=sets.put("labels", {GROUP_LABEL: name}, pod))

    def early(self, namespace: str, pod: Object, group: str) -> str:
        """Why a pod may not join its group yet; empty if it may.

        A replica that is made anew has the group name of the old one, and the scheduler counts by that name: workers
        that are still going would let the new leader start alone.
        """
        if not sets.is_leader(pod):
            return "" if self.client.get(GROUP, namespace, group) else "the PodGroup of the replica does not exist yet"
        replica = f"{sets.SET_LABEL}={sets.set_name(pod)},{sets.INDEX_LABEL}={sets.replica_index(pod)}"
        others = [one for one in self.client.list(POD, namespace, replica) if not sets.is_leader(one)]
        return "workers of a former leader are still there" if others else ""

    def group_name(self, pod: Object) -> str:
        return f"{sets.set_name(pod)}-{sets.replica_index(pod)}"

    # -- groups -------------------------------------------------------------------------------------------------------

    def reconcile(self, key: Key) -> float | None:
        """Have a group for the leader; one that is there is kept, unless it belongs to a leader that is no more."""
        leader = self.cache.get(POD, *key)
        if leader is None or "deletionTimestamp" in leader["metadata"]:
            return None  # its group is for the garbage collector
        namespace, name = key[0], sets.set_name(leader)
        lws = self.cache.get(SET, namespace, name) or self.client.get(SET, namespace, name)
        if lws is None:
            return None  # deleted; the leader follows
        group = self.cache.get(GROUP, namespace, self.group_name(leader))
        if group is None:
            self.make(lws, leader)
        elif self.stale(group, leader):
            self.client.delete(GROUP, namespace, group["metadata"]["name"], uid=group["metadata"]["uid"])
        return None  # whatever comes of it wakes the key

    def stale(self, group: Object, leader: Object) -> bool:
        """The group is owned by a former leader of this name: it will go, and must not be taken for the new one's."""
        owners = [one for one in group["metadata"].get("ownerReferences") or () if one.get("controller")]
        return any(one["kind"] == "Pod" and one["uid"] != leader["metadata"]["uid"] for one in owners)

    def make(self, lws: Object, leader: Object) -> None:
        group = self.group(lws, leader)
        self.client.create(GROUP, group)
        start = "the leader goes first" if sets.goes_first(lws) else "all start together"
        said = f"made PodGroup {group['metadata']['name']} for {sets.size(leader)} pods, of which {start}"
        self.client.event(lws, "PodGroupCreated", said)

    def group(self, lws: Object, leader: Object) -> Object:
        meta = leader["metadata"]
        labels = {sets.SET_LABEL: sets.set_name(leader), sets.INDEX_LABEL: sets.replica_index(leader)}
        return {
            "apiVersion": GROUP.api_version, "kind": GROUP.kind,
            "metadata": {
                "name": self.group_name(leader), "namespace": meta["namespace"], "labels": labels,
                "ownerReferences": self.owners(lws, leader),
            },
            "spec": {"minMember": self.minimum(lws, leader), "minResources": self.resources(lws, leader)},
        }  # fmt: skip

    def owners(self, lws: Object, leader: Object) -> list[Object]:
        meta = leader["metadata"]
        return [{
            "apiVersion": "v1", "kind": "Pod", "name": meta["name"], "uid": meta["uid"], "controller": True,
            "blockOwnerDeletion": True,
        }]  # fmt: skip

    def minimum(self, lws: Object, leader: Object) -> int:
        """All start together, unless workers are made only when their leader is ready."""
        return 1 if sets.goes_first(lws) else sets.size(leader)

    def resources(self, lws: Object, leader: Object) -> dict[str, str]:
        """What all of the replica asks for, under either policy: a leader alone is of no use."""
        return sets.total(lws, leader)


PROVIDERS: Mapping[str, MakeController] = {"coscheduling": Coscheduling, "yunikorn": YuniKorn}


def make(client: Client, cache: Cache, provider: str) -> Controller:
    """The provider for this scheduler."""
    return PROVIDERS[provider](client, cache)
