"""Mutations of the provider for Coscheduling: groups, their owners, names and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from harness.controllers.lws import sets as sets
from harness.controllers.lws.provider import GROUP, Coscheduling
from harness.controllers.runtime.cache import Cache, key_of
from harness.controllers.runtime.client import JSON_PATCH, Client, Object
from harness.controllers.runtime.queue import Key
from harness.controllers.runtime.service import Watch
from harness.core.errors import ApiError
from harness.core.history.observe import pod_request
from harness.core.kinds import CRD, LEADER_WORKER_SET, POD
from harness.mutation.base import CANARY, Mutation

DEFINITION = "leaderworkersets.leaderworkerset.x-k8s.io"
POLICY_IN_SCHEMA = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/startupPolicy"


class OwnedByNobody(Mutation, Coscheduling):
    """Forgets the owner of a group."""

    killed_by = (
        "leader-owns-the-group",
        "deleted-leader-takes-its-group-along",
        "deleted-set-leaves-no-group",
        "leader-made-anew-gets-a-group-of-its-own",
        "leader-without-workers-made-anew-gets-a-group",
        "leader-that-goes-first-made-anew-gets-a-group",
        "replica-made-anew-for-a-failed-worker-gets-a-group",
        "evicted-leader-takes-its-group-along",
        "leader-lost-with-its-node-comes-back-with-a-group",
        "preempted-leader-takes-its-group-along",
    )
    breaks = ("LWS-08", "LWS-28", "LWS-29", "LWS-32")

    def owners(self, lws: Object, leader: Object) -> list[Object]:
        return []


class OwnedByTheSet(Mutation, Coscheduling):
    """Lets the set own the groups, so that they outlive their replicas."""

    killed_by = (
        "leader-owns-the-group",
        "fewer-replicas-lose-their-groups-only",
        "update-renews-groups-with-their-leaders",
        "replicas-beyond-the-number-have-groups-during-an-update",
    )
    breaks = ("LWS-08", "LWS-30", "LWS-33", "LWS-35")

    def owners(self, lws: Object, leader: Object) -> list[Object]:
        meta = lws["metadata"]
        return [
            {
                **super().owners(lws, leader)[0],
                "apiVersion": LEADER_WORKER_SET.api_version,
                "kind": LEADER_WORKER_SET.kind,
                "name": meta["name"],
                "uid": meta["uid"],
            }
        ]


class MakesItOnce(Mutation, Coscheduling):
    """Makes a group for a replica once, and not again for its next leader."""

    killed_by = ("leader-made-anew-gets-a-group-of-its-own", "update-renews-groups-with-their-leaders")
    breaks = ("LWS-29", "LWS-06")

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        self.served: set[Key] = set()

    def make(self, lws: Object, leader: Object) -> None:
        if key_of(leader) not in self.served:
            super().make(lws, leader)
            self.served.add(key_of(leader))


class TakesTheOldOne(Mutation, Coscheduling):
    """Takes a group that is still there for the new leader's, as LeaderWorkerSet 0.9.0 does."""

    killed_by = ("leader-made-anew-outlives-the-old-group",)
    breaks = ("LWS-29",)

    @property
    def watches(self) -> Sequence[Watch]:
        return [watch if watch.kind != GROUP else Watch(GROUP, lambda group: ()) for watch in super().watches]

    def stale(self, group: Object, leader: Object) -> bool:
        return False


class Overwrites(Mutation, Coscheduling):
    """Writes its own group over one that is there."""

    killed_by = ("existing-group-is-kept",)
    breaks = ("LWS-27",)

    def stale(self, group: Object, leader: Object) -> bool:
        owner = group["metadata"].get("ownerReferences", [{}])[0]
        return bool(owner.get("uid") != leader["metadata"]["uid"])


class OneShort(Mutation, Coscheduling):
    """Leaves one worker out of the minimum."""

    killed_by = ("workers-that-start-with-their-leader-are-in-the-minimum", "starting-together-is-the-default")
    breaks = ("LWS-18",)
    quick = True

    def minimum(self, lws: Object, leader: Object) -> int:
        return max(1, super().minimum(lws, leader) - 1)


class LeadersFirstByDefault(Mutation, Coscheduling):
    """Has the API server take LeaderReady for the startup policy of a set that names none."""

    killed_by = ("starting-together-is-the-default",)
    breaks = ("LWS-19",)

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        change = [{"op": "replace", "path": f"{POLICY_IN_SCHEMA}/default", "value": sets.LEADER_READY}]
        client.patch(CRD, "", DEFINITION, change, content_type=JSON_PATCH)


class OneTooMany(Mutation, Coscheduling):
    """Waits for one pod more than there are."""

    killed_by = (
        "replica-that-fits-is-placed-whole",
        "services-of-replicas-work-beside-gangs",
        "update-with-a-replica-beyond-the-number-ends",
    )
    breaks = ("LWS-02", "LWS-34", "LWS-39")

    def minimum(self, lws: Object, leader: Object) -> int:
        return super().minimum(lws, leader) + (1 if sets.size(leader) > 1 else 0)


class WaitsForWorkersToCome(Mutation, Coscheduling):
    """Counts workers in, though they are made only when their leader runs."""

    killed_by = ("leader-that-goes-first-makes-a-minimum-of-one", "leader-goes-first-and-its-workers-follow")
    breaks = ("LWS-20", "LWS-23")

    def minimum(self, lws: Object, leader: Object) -> int:
        return sets.size(leader)


class PodByPod(Mutation, Coscheduling):
    """Makes groups of which any pod may start alone."""

    killed_by = (
        "replica-with-room-for-all-but-one-waits-whole",
        "leader-without-room-for-its-workers-waits",
        "one-of-two-replicas-runs-whole",
        "leaders-never-take-the-room-of-workers",
        "replicas-that-grow-beyond-the-room-wait-whole",
        "waiting-replica-does-not-hold-back-one-that-fits",
        "leader-without-room-for-its-replica-waits",
        "replicas-whose-pods-claim-devices-are-placed-whole",
    )
    breaks = ("LWS-03", "LWS-04", "LWS-05", "LWS-24")

    def minimum(self, lws: Object, leader: Object) -> int:
        return 1

    def resources(self, lws: Object, leader: Object) -> dict[str, str]:
        return {}


class AsksForTheLeaderOnly(Mutation, Coscheduling):
    """Forgets what workers ask for."""

    killed_by = (
        "group-asks-for-what-its-pods-ask-for",
        "leader-without-room-for-its-replica-waits",
        "leader-may-start-in-vain",
    )
    breaks = ("LWS-21", "LWS-24")

    def resources(self, lws: Object, leader: Object) -> dict[str, str]:
        return sets.written(pod_request(leader["spec"]))


class KeepsTheFirstNumbers(Mutation, Coscheduling):
    """Writes the numbers of the first group of a set into all later ones."""

    killed_by = ("update-of-size-and-requests-reaches-the-groups",)
    breaks = ("LWS-41",)

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        self.first: dict[str, Object] = {}

    def group(self, lws: Object, leader: Object) -> Object:
        group = super().group(lws, leader)
        group["spec"] = self.first.setdefault(lws["metadata"]["uid"], group["spec"])
        return group


class TakesLeadersForWorkers(Mutation, Coscheduling):
    """Counts the workers' template for the leader, whatever its own says."""

    killed_by = ("leader-counts-with-its-own-template",)
    breaks = ("LWS-22",)

    def resources(self, lws: Object, leader: Object) -> dict[str, str]:
        return sets.total(lws, {**leader, "spec": sets.worker_spec(lws)})


class ForgetsLimits(Mutation, Coscheduling):
    """Does not know that a limit without a request is one, as LeaderWorkerSet 0.9.0 does not."""

    killed_by = ("limits-without-requests-count-for-the-group",)
    breaks = ("LWS-21",)

    def resources(self, lws: Object, leader: Object) -> dict[str, str]:
        stated = sets.worker_spec(lws)["containers"][0]["resources"].get("requests")
        return super().resources(lws, leader) if stated else {}


class OneForAll(Mutation, Coscheduling):
    """Makes one group for all replicas of a set."""

    killed_by = ("every-replica-has-a-group-of-its-own", "more-replicas-bring-their-groups")
    breaks = ("LWS-01", "LWS-31")

    def group_name(self, pod: Object) -> str:
        return f"{sets.set_name(pod)}-all"


class MakesThemElsewhere(Mutation, Coscheduling):
    """Makes all groups in one namespace."""

    killed_by = ("sets-of-the-same-name-elsewhere-have-groups-there", "every-replica-has-a-group-of-its-own")
    breaks = ("LWS-10",)

    def group(self, lws: Object, leader: Object) -> Object:
        group = super().group(lws, leader)
        if lws["metadata"]["name"] != CANARY:
            group["metadata"]["namespace"] = "default"
        return group


class NamesCarryAHash(Mutation, Coscheduling):
    """Puts more than set and index into the name of a group, as LeaderWorkerSet 0.9.0 does."""

    killed_by = ("group-is-named-after-set-and-replica",)
    breaks = ("LWS-09",)

    def group_name(self, pod: Object) -> str:
        return f"{super().group_name(pod)}-5f8d"


class CountsFromOne(Mutation, Coscheduling):
    """Gives the group of a replica the index of the next one."""

    killed_by = ("index-of-group-leader-and-workers-agree", "group-is-named-after-set-and-replica")
    breaks = ("LWS-11", "LWS-09")

    def group_name(self, pod: Object) -> str:
        return f"{sets.set_name(pod)}-{int(sets.replica_index(pod)) + 1}"


class LabelsTheNext(Mutation, Coscheduling):
    """Labels the group of a replica with the index of the next one."""

    killed_by = ("index-of-group-leader-and-workers-agree",)
    breaks = ("LWS-11",)

    def group(self, lws: Object, leader: Object) -> Object:
        group = super().group(lws, leader)
        if lws["metadata"]["name"] != CANARY:
            group["metadata"]["labels"][sets.INDEX_LABEL] = str(int(sets.replica_index(leader)) + 1)
        return group


class NoGroupForOne(Mutation, Coscheduling):
    """Thinks that a leader without workers needs no group."""

    killed_by = ("replica-of-one-has-no-workers",)
    breaks = ("LWS-40",)

    def make(self, lws: Object, leader: Object) -> None:
        if sets.size(leader) > 1 or lws["metadata"]["name"] == CANARY:
            super().make(lws, leader)


class GivesUp(Mutation, Coscheduling):
    """Does not try again what was refused once."""

    killed_by = (
        "refused-group-is-tried-again",
        "group-is-made-after-the-api-server-was-away",
        "group-is-made-when-its-kind-comes-back",
        "throttled-group-is-made-later",
    )
    breaks = ("LWS-37",)

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        self.refused: set[str] = set()

    def make(self, lws: Object, leader: Object) -> None:
        uid = leader["metadata"]["uid"]
        if uid in self.refused:
            return
        try:
            super().make(lws, leader)
        except ApiError as error:
            print(error, flush=True)
            self.refused.add(uid)


class KnowsOnlyWhatComes(Mutation, Coscheduling):
    """Makes no groups for leaders that were there before it started."""

    killed_by = ("group-is-made-after-the-controller-was-killed",)
    breaks = ("LWS-37",)

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        self.before = {pod["metadata"]["uid"] for pod in client.list(POD, selector=sets.LEADERS)}

    def make(self, lws: Object, leader: Object) -> None:
        if leader["metadata"]["uid"] not in self.before:
            super().make(lws, leader)
