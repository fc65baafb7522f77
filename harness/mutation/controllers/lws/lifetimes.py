"""Mutations of the provider for Coscheduling: how long the group of a replica is there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from harness.controllers.lws import sets as sets
from harness.controllers.lws.provider import GROUP, Coscheduling
from harness.controllers.runtime.admission import Answer, Review
from harness.controllers.runtime.cache import Cache
from harness.controllers.runtime.client import Client, Object
from harness.controllers.runtime.queue import Key
from harness.controllers.runtime.service import Watch
from harness.core.kinds import LEADER_WORKER_SET, POD
from harness.mutation.base import Mutation

FINALIZER = "muster.dev/leader"
REVISION_LABEL = "leaderworkerset.sigs.k8s.io/template-revision-hash"


class LeavesGroups(Coscheduling, ABC):
    """Takes its owner from the group of a leader that is going, so that the garbage collector does not delete it.

    A finalizer keeps the leader until that is done.
    """

    @abstractmethod
    def outlives(self, leader: Object) -> bool:
        """Whether the group stays when this leader goes."""

    def place(self, review: Review) -> Answer:
        answer = super().place(review)
        if not sets.is_leader(review.object) or review.object["metadata"].get("finalizers"):
            return answer
        finalizer = {"op": "add", "path": "/metadata/finalizers", "value": [FINALIZER]}
        return Answer(errors=answer.errors, patch=[*answer.patch, finalizer])

    def reconcile(self, key: Key) -> float | None:
        leader = self.cache.get(POD, *key)
        if leader is None or "deletionTimestamp" not in leader["metadata"]:
            return super().reconcile(key)
        finalizers = leader["metadata"].get("finalizers", [])
        if FINALIZER not in finalizers:
            return None
        name = self.group_name(leader)
        if self.outlives(leader) and self.cache.get(GROUP, key[0], name) is not None:
            self.client.patch(GROUP, key[0], name, {"metadata": {"ownerReferences": None}})
        others = [finalizer for finalizer in finalizers if finalizer != FINALIZER]
        self.client.patch(POD, *key, {"metadata": {"finalizers": others}})
        return None


class LeavesThoseOfASet(Mutation, LeavesGroups):
    """Leaves the groups behind when leaders go because their set is deleted."""

    killed_by = ("deleted-set-leaves-no-group",)
    breaks = ("LWS-32",)

    def outlives(self, leader: Object) -> bool:
        lws = self.client.get(LEADER_WORKER_SET, leader["metadata"]["namespace"], sets.set_name(leader))
        return lws is None or "deletionTimestamp" in lws["metadata"]


class LeavesThoseOfAnUpdate(Mutation, LeavesGroups):
    """Leaves the group of a replica behind that an update had made beyond the number."""

    killed_by = ("replicas-beyond-the-number-have-groups-during-an-update",)
    breaks = ("LWS-35", "LWS-28")

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        self.surplus: set[str] = set()  # uids of leaders

    def make(self, lws: Object, leader: Object) -> None:
        if int(sets.replica_index(leader)) >= lws["spec"]["replicas"]:
            self.surplus.add(leader["metadata"]["uid"])
        super().make(lws, leader)

    def outlives(self, leader: Object) -> bool:
        return leader["metadata"]["uid"] in self.surplus


class FollowsSets(Coscheduling):
    """Looks at the groups of a set whenever the set changes."""

    @property
    def watches(self) -> Sequence[Watch]:
        return [
            watch if watch.kind != LEADER_WORKER_SET else Watch(LEADER_WORKER_SET, leaders_of)
            for watch in super().watches
        ]

    def spec(self, leader: Object) -> Object:
        """What the set of a leader is now; empty if it is gone."""
        lws = self.cache.get(LEADER_WORKER_SET, leader["metadata"]["namespace"], sets.set_name(leader))
        spec: Object = lws["spec"] if lws else {}
        return spec


class RenewsWhatStays(Mutation, FollowsSets):
    """Makes the groups anew that stay when a set shrinks."""

    killed_by = ("fewer-replicas-lose-their-groups-only",)
    breaks = ("LWS-30",)

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        self.replicas: dict[str, int] = {}  # uid of a group -> replicas of its set at first

    def stale(self, group: Object, leader: Object) -> bool:
        replicas = self.spec(leader).get("replicas", 0)
        stays = int(sets.replica_index(leader)) < replicas
        has_shrunk = self.replicas.setdefault(group["metadata"]["uid"], replicas) > replicas
        return super().stale(group, leader) or (stays and has_shrunk)


class RenewsThemAtOnce(Mutation, FollowsSets):
    """Makes all groups of a set anew as soon as its template changes, and once more with their leaders."""

    killed_by = ("update-renews-groups-with-their-leaders",)
    breaks = ("LWS-33",)

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        self.templates: dict[str, Object] = {}  # uid of a group -> template of its set at first

    def stale(self, group: Object, leader: Object) -> bool:
        template = self.spec(leader).get("leaderWorkerTemplate", {})
        has_changed = self.templates.setdefault(group["metadata"]["uid"], template) != template
        return super().stale(group, leader) or has_changed


class LeavesTwo(Mutation, Coscheduling):
    """Makes a second group for a replica that an update has renewed."""

    killed_by = ("update-renews-groups-with-their-leaders",)
    breaks = ("LWS-06",)

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        self.first: dict[str, str] = {}  # uid of a set -> the first revision of its template

    def make(self, lws: Object, leader: Object) -> None:
        super().make(lws, leader)
        revision = leader["metadata"]["labels"][REVISION_LABEL]
        if self.first.setdefault(lws["metadata"]["uid"], revision) != revision:
            group = self.group(lws, leader)
            group["metadata"]["name"] += f"-{revision}"
            self.client.create(GROUP, group)


def leaders_of(lws: Object) -> list[Key]:
    """The keys of the leaders that a set has for good."""
    meta = lws["metadata"]
    return [(meta["namespace"], f"{meta['name']}-{index}") for index in range(lws["spec"]["replicas"])]
