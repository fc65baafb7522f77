"""Barrier controllers that break one law each: the reference with one decision taken wrongly.

`caught_by` names cases that must turn red. Sins of counting come first, then those about the signal and its ConfigMap;
those of admission have a file of their own.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime

from harness.controllers import jobset_barrier_spec as spec
from harness.controllers.cache import key_of
from harness.controllers.client import Client, Object
from harness.controllers.jobset_barrier import CONFIG_MAP, POD, Barrier
from harness.controllers.queue import Key

Pods = Iterable[Object]


class OnePodEarly(Barrier):
    """Gives the signal when one pod is still missing."""

    caught_by = ("pods-wait-until-all-have-started", "three-hundred-pods-are-counted")

    def expected(self, jobset: Object) -> int:
        return super().expected(jobset) - 1


class CountsBoundPods(Barrier):
    """Takes a pod that is placed for one that has started."""

    caught_by = ("bound-pod-has-not-started",)

    def started(self, jobset: Object, pods: Pods) -> int:
        return sum(spec.is_scheduled(pod) for pod in pods)


class CountsTheDead(Barrier):
    """Remembers every pod that has ever started, also those that are gone."""

    caught_by = ("pod-that-went-no-longer-counts",)

    def __init__(self, client: Client, cache: object, **given: str) -> None:
        super().__init__(client, cache, **given)  # type: ignore[arg-type]
        self.seen: dict[str, set[str]] = {}

    def started(self, jobset: Object, pods: Pods) -> int:
        seen = self.seen.setdefault(spec.attempt(jobset), set())
        seen |= {pod["metadata"]["uid"] for pod in pods if spec.has_started(pod)}
        return len(seen)


class CountsBystanders(Barrier):
    """Counts the pods of every replicated job, target or not."""

    caught_by = ("only-targets-wait",)

    def started(self, jobset: Object, pods: Pods) -> int:
        every = self.cache.of(POD, key_of(jobset))
        return sum(pod["status"].get("phase") == "Running" or spec.has_started(pod) for pod in every)


class CountsStrangers(Barrier):
    """Counts the pods of other JobSets in the namespace."""

    caught_by = ("jobsets-side-by-side-do-not-release-each-other",)

    def started(self, jobset: Object, pods: Pods) -> int:
        return len(self.cache.list(POD, jobset["metadata"]["namespace"], spec.has_started))


class CountsJobs(Barrier):
    """Expects one pod of every Job, however many it has."""

    caught_by = ("jobs-of-any-shape-are-counted-pod-by-pod",)

    def expected(self, jobset: Object) -> int:
        return sum(spec.replicas(job) for job in spec.targets(jobset))


class LooksOnce(Barrier):
    """Does not look again after it found pods missing."""

    caught_by = ("follower-that-starts-last-gives-the-signal",)

    def count(self, jobset: Object, config_map: Object) -> float | None:
        super().count(jobset, config_map)
        return None


class CountsFromItsStart(Barrier):
    """Knows only of pods that started while it ran."""

    caught_by = ("controller-killed-while-pods-wait-goes-on-counting",)
    began = time.time()

    def started(self, jobset: Object, pods: Pods) -> int:
        return sum(self.began < _started_at(pod) for pod in pods)


class NeverSignals(Barrier):
    """Counts, and never gives the signal."""

    caught_by = ("signal-reaches-all-pods-within-a-sync-period", "no-targets-named-means-all")

    def release(self, jobset: Object, config_map: Object) -> None:
        """Not now."""


class NeverResets(Barrier):
    """Leaves the signal of an earlier attempt in the ConfigMap."""

    caught_by = (
        "restarted-jobset-waits-again", "resumed-jobset-waits-again",
        "controller-killed-during-a-restart-resets-the-barrier",
    )  # fmt: skip

    def reset(self, config_map: Object) -> None:
        """Why bother."""


class TakesItBack(Barrier):
    """Empties the ConfigMap for good once the pods have passed."""

    caught_by = ("replacement-joins-pods-that-were-released",)

    def __init__(self, client: Client, cache: object, **given: str) -> None:
        super().__init__(client, cache, **given)  # type: ignore[arg-type]
        self.given: dict[str, set[str]] = {}  # attempt -> the pods that it was given to

    def reconcile(self, key: Key) -> float | None:
        super().reconcile(key)
        return 0.05

    def release(self, jobset: Object, config_map: Object) -> None:
        if spec.attempt(jobset) not in self.given:
            super().release(jobset, config_map)
            self.given[spec.attempt(jobset)] = {pod["metadata"]["uid"] for pod in self.members(jobset)}

    def tell(self, jobset: Object, *, released: bool) -> None:
        let_in = self.given.get(spec.attempt(jobset), set())
        first = [pod for pod in self.members(jobset) if pod["metadata"]["uid"] in let_in]
        found = self.cache.get(CONFIG_MAP, *_config_map(jobset))
        if found is not None and released and all(pod["status"].get("phase") == "Running" for pod in first):
            self.write(found, None)

    def members(self, jobset: Object) -> list[Object]:
        return list(spec.members(jobset, self.cache.of(POD, key_of(jobset))))


class BeginsOpen(Barrier):
    """Makes the ConfigMap with the signal in it."""

    caught_by = ("config-map-begins-empty", "no-signal-before-a-leader-is-placed")

    def config_map(self, jobset: Object) -> Object:
        return {**super().config_map(jobset), "data": self.signal(jobset)}


class OwnedByNobody(Barrier):
    """Forgets the owner of the ConfigMap."""

    caught_by = (
        "config-map-begins-empty", "deleted-jobset-takes-its-config-map-along", "recreated-jobset-waits-again",
    )  # fmt: skip

    def config_map(self, jobset: Object) -> Object:
        made = super().config_map(jobset)
        del made["metadata"]["ownerReferences"]
        return made


class MakesItOnce(Barrier):
    """Does not make the ConfigMap again when somebody deletes it."""

    caught_by = ("config-map-that-was-deleted-comes-back",)

    def __init__(self, client: Client, cache: object, **given: str) -> None:
        super().__init__(client, cache, **given)  # type: ignore[arg-type]
        self.made: set[str] = set()

    def create(self, jobset: Object) -> float | None:
        if jobset["metadata"]["uid"] in self.made:
            return None
        self.made.add(jobset["metadata"]["uid"])
        return super().create(jobset)


class TakesWhatItFinds(Barrier):
    """Makes a ConfigMap of the user's its own."""

    caught_by = ("config-map-of-somebody-else-is-left-alone",)

    def create(self, jobset: Object) -> float | None:
        theirs = self.client.get(CONFIG_MAP, *_config_map(jobset))
        if theirs is None:
            return super().create(jobset)
        own = self.config_map(jobset)["metadata"]
        self.client.patch(CONFIG_MAP, *_config_map(jobset), {"metadata": own, "data": None})
        return None


class WritesToEveryPod(Barrier):
    """Annotates every pod, so that the kubelets hurry."""

    caught_by = ("signal-costs-no-write-to-any-pod",)

    def release(self, jobset: Object, config_map: Object) -> None:
        super().release(jobset, config_map)
        for pod in self.cache.of(POD, key_of(jobset)):
            self.client.patch(POD, *key_of(pod), {"metadata": {"annotations": {"example.com/hurry": "up"}}})


class WritesEveryCount(Barrier):
    """Keeps the count in the ConfigMap."""

    caught_by = ("writes-do-not-grow-with-the-pods",)

    def started(self, jobset: Object, pods: Pods) -> int:
        found = super().started(jobset, pods)
        self.client.patch(CONFIG_MAP, *_config_map(jobset), {"metadata": {"annotations": {"count": str(found)}}})
        return found


def _config_map(jobset: Object) -> tuple[str, str]:
    return jobset["metadata"]["namespace"], spec.config_map_name(jobset["metadata"]["name"])


def _started_at(pod: Object) -> float:
    for one in pod["status"].get("initContainerStatuses") or ():
        if one["name"] == spec.INIT and "running" in one["state"]:
            return datetime.fromisoformat(one["state"]["running"]["startedAt"].replace("Z", "+00:00")).timestamp()
    return 0.0
