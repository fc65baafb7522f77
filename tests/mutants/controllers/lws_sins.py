"""Providers for LeaderWorkerSets that break one law each: the reference with one decision taken wrongly.

`caught_by` names cases that must turn red. The sins are about groups and their numbers; those of admission and of
YuniKorn are in lws_admission_sins.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.controllers import lws_provider_sets as sets
from harness.controllers.cache import Cache, key_of
from harness.controllers.client import Client, Object
from harness.controllers.lws_provider import GROUP, Coscheduling
from harness.controllers.lws_provider_sets import POD, SET
from harness.controllers.queue import Key
from harness.controllers.service import Watch
from harness.core.errors import ApiError
from harness.core.observe import pod_request


class OwnedByNobody(Coscheduling):
    """Forgets the owner of a group."""

    caught_by = (
        "leader-owns-the-group", "deleted-leader-takes-its-group-along", "deleted-set-leaves-no-group",
        "leader-made-anew-gets-a-group-of-its-own", "leader-without-workers-made-anew-gets-a-group",
        "leader-that-goes-first-made-anew-gets-a-group", "replica-made-anew-for-a-failed-worker-gets-a-group",
    )  # fmt: skip

    def owners(self, lws: Object, leader: Object) -> list[Object]:
        return []


class OwnedByTheSet(Coscheduling):
    """Lets the set own the groups, so that they outlive their replicas."""

    caught_by = (
        "leader-owns-the-group", "fewer-replicas-lose-their-groups-only", "update-renews-groups-with-their-leaders",
        "replicas-beyond-the-number-have-groups-during-an-update",
    )  # fmt: skip

    def owners(self, lws: Object, leader: Object) -> list[Object]:
        meta = lws["metadata"]
        return [{**super().owners(lws, leader)[0], "apiVersion": SET.api_version, "kind": SET.kind,
                 "name": meta["name"], "uid": meta["uid"]}]  # fmt: skip


class MakesItOnce(Coscheduling):
    """Makes a group for a replica once, and not again for its next leader."""

    caught_by = ("leader-made-anew-gets-a-group-of-its-own", "update-renews-groups-with-their-leaders")

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        self.made: set[Key] = set()

    def make(self, lws: Object, leader: Object) -> None:
        if key_of(leader) not in self.made:
            super().make(lws, leader)
            self.made.add(key_of(leader))


class TakesTheOldOne(Coscheduling):
    """Takes a group that is still there for the new leader's, as LeaderWorkerSet 0.9.0 does."""

    caught_by = ("leader-made-anew-outlives-the-old-group",)

    @property
    def watches(self) -> Sequence[Watch]:
        return [watch if watch.kind != GROUP else Watch(GROUP, lambda group: ()) for watch in super().watches]

    def stale(self, group: Object, leader: Object) -> bool:
        return False


class Overwrites(Coscheduling):
    """Writes its own group over one that is there."""

    caught_by = ("existing-group-is-kept",)

    def stale(self, group: Object, leader: Object) -> bool:
        return group["metadata"].get("ownerReferences", [{}])[0].get("uid") != leader["metadata"]["uid"]


class OneShort(Coscheduling):
    """Leaves one worker out of the minimum."""

    caught_by = ("workers-that-start-with-their-leader-are-in-the-minimum", "starting-together-is-the-default")

    def minimum(self, lws: Object, leader: Object) -> int:
        return max(1, super().minimum(lws, leader) - 1)


class OneTooMany(Coscheduling):
    """Waits for one pod more than there are."""

    caught_by = (
        "replica-that-fits-is-placed-whole", "services-of-replicas-work-beside-gangs",
        "update-with-a-replica-beyond-the-number-ends",
    )  # fmt: skip

    def minimum(self, lws: Object, leader: Object) -> int:
        return super().minimum(lws, leader) + (1 if sets.size(leader) > 1 else 0)


class WaitsForWorkersToCome(Coscheduling):
    """Counts workers in, though they are made only when their leader runs."""

    caught_by = ("leader-that-goes-first-makes-a-minimum-of-one", "leader-goes-first-and-its-workers-follow")

    def minimum(self, lws: Object, leader: Object) -> int:
        return sets.size(leader)


class PodByPod(Coscheduling):
    """Makes groups of which any pod may start alone."""

    caught_by = (
        "replica-with-room-for-all-but-one-waits-whole", "leader-without-room-for-its-workers-waits",
        "one-of-two-replicas-runs-whole", "leaders-never-take-the-room-of-workers",
        "replicas-that-grow-beyond-the-room-wait-whole", "waiting-replica-does-not-hold-back-one-that-fits",
        "leader-without-room-for-its-replica-waits",
    )  # fmt: skip

    def minimum(self, lws: Object, leader: Object) -> int:
        return 1

    def resources(self, lws: Object, leader: Object) -> dict[str, str]:
        return {}


class AsksForTheLeaderOnly(Coscheduling):
    """Forgets what workers ask for."""

    caught_by = ("group-asks-for-what-its-pods-ask-for", "leader-without-room-for-its-replica-waits")

    def resources(self, lws: Object, leader: Object) -> dict[str, str]:
        return sets.written(pod_request(leader["spec"]))


class TakesLeadersForWorkers(Coscheduling):
    """Counts the workers' template for the leader, whatever its own says."""

    caught_by = ("leader-counts-with-its-own-template",)

    def resources(self, lws: Object, leader: Object) -> dict[str, str]:
        return sets.total(lws, {**leader, "spec": sets.worker_spec(lws)})


class ForgetsLimits(Coscheduling):
    """Does not know that a limit without a request is one, as LeaderWorkerSet 0.9.0 does not."""

    caught_by = ("limits-without-requests-count-for-the-group",)

    def resources(self, lws: Object, leader: Object) -> dict[str, str]:
        stated = sets.worker_spec(lws)["containers"][0]["resources"].get("requests")
        return super().resources(lws, leader) if stated else {}


class OneForAll(Coscheduling):
    """Makes one group for all replicas of a set."""

    caught_by = ("every-replica-has-a-group-of-its-own", "more-replicas-bring-their-groups")

    def group_name(self, pod: Object) -> str:
        return f"{sets.set_name(pod)}-all"


class MakesThemElsewhere(Coscheduling):
    """Makes all groups in one namespace."""

    caught_by = ("sets-of-the-same-name-elsewhere-have-groups-there", "every-replica-has-a-group-of-its-own")

    def group(self, lws: Object, leader: Object) -> Object:
        made = super().group(lws, leader)
        made["metadata"]["namespace"] = "default"
        return made


class NamesCarryAHash(Coscheduling):
    """Puts more than set and index into the name of a group, as LeaderWorkerSet 0.9.0 does."""

    caught_by = ("group-is-named-after-set-and-replica",)

    def group_name(self, pod: Object) -> str:
        return f"{super().group_name(pod)}-5f8d"


class CountsFromOne(Coscheduling):
    """Gives the group of a replica the index of the next one."""

    caught_by = ("index-of-group-leader-and-workers-agree", "group-is-named-after-set-and-replica")

    def group_name(self, pod: Object) -> str:
        return f"{sets.set_name(pod)}-{int(sets.replica_index(pod)) + 1}"


class NoGroupForOne(Coscheduling):
    """Thinks that a leader without workers needs no group."""

    caught_by = ("replica-of-one-has-no-workers",)

    def make(self, lws: Object, leader: Object) -> None:
        if sets.size(leader) > 1:
            super().make(lws, leader)


class GivesUp(Coscheduling):
    """Does not try again what was refused once."""

    caught_by = ("refused-group-is-tried-again", "group-is-made-after-the-api-server-was-away")

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        self.hopeless: set[str] = set()

    def make(self, lws: Object, leader: Object) -> None:
        uid = leader["metadata"]["uid"]
        if uid in self.hopeless:
            return
        try:
            super().make(lws, leader)
        except ApiError as error:
            print(error, flush=True)
            self.hopeless.add(uid)


class KnowsOnlyWhatComes(Coscheduling):
    """Makes no groups for leaders that were there before it started."""

    caught_by = ("group-is-made-after-the-controller-was-killed",)

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        self.before = {pod["metadata"]["uid"] for pod in client.list(POD, selector=sets.LEADERS)}

    def make(self, lws: Object, leader: Object) -> None:
        if leader["metadata"]["uid"] not in self.before:
            super().make(lws, leader)


SINS = {
    "owned-by-nobody": OwnedByNobody, "owned-by-the-set": OwnedByTheSet, "makes-it-once": MakesItOnce,
    "takes-the-old-one": TakesTheOldOne, "overwrites": Overwrites, "one-short": OneShort, "one-too-many": OneTooMany,
    "waits-for-workers-to-come": WaitsForWorkersToCome, "pod-by-pod": PodByPod,
    "asks-for-the-leader-only": AsksForTheLeaderOnly, "takes-leaders-for-workers": TakesLeadersForWorkers,
    "forgets-limits": ForgetsLimits, "makes-them-elsewhere": MakesThemElsewhere, "one-for-all": OneForAll,
    "names-carry-a-hash": NamesCarryAHash,
    "counts-from-one": CountsFromOne, "no-group-for-one": NoGroupForOne, "gives-up": GivesUp,
    "knows-only-what-comes": KnowsOnlyWhatComes,
}  # fmt: skip
