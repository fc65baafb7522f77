"""Mutations of the barrier: how pods are counted, and the signal in the ConfigMap."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar

from harness.controllers.jobset_barrier import spec as spec
from harness.controllers.jobset_barrier.controller import Barrier
from harness.controllers.runtime.cache import Cache, key_of
from harness.controllers.runtime.client import Client, Object
from harness.controllers.runtime.queue import Key
from harness.core.kinds import CONFIG_MAP, JOB, NODE, POD
from harness.mutation.base import CANARY, Mutation

Pods = Iterable[Object]


class OnePodEarly(Mutation, Barrier):
    """Gives the signal when one pod is still missing."""

    killed_by = ("pods-wait-until-all-have-started", "three-hundred-pods-are-counted")
    breaks = ("BAR-10", "BAR-11", "BAR-23")
    quick = True

    def expected(self, jobset: Object) -> int:
        return super().expected(jobset) - 1


class CountsBoundPods(Mutation, Barrier):
    """Counts a placed pod as a started one."""

    killed_by = ("bound-pod-has-not-started",)
    breaks = ("BAR-24",)

    def started(self, jobset: Object, pods: Pods) -> int:
        return sum(spec.is_scheduled(pod) for pod in pods)


class CountsTheDead(Mutation, Barrier):
    """Remembers every pod that has ever started, also those that are gone."""

    killed_by = ("pod-that-went-no-longer-counts",)
    breaks = ("BAR-10",)

    def __init__(self, client: Client, cache: Cache, init_image: str) -> None:
        super().__init__(client, cache, init_image)
        self.counted: dict[str, set[str]] = {}

    def started(self, jobset: Object, pods: Pods) -> int:
        started = self.counted.setdefault(spec.attempt(jobset), set())
        started |= {pod["metadata"]["uid"] for pod in pods if spec.has_started(pod)}
        return len(started)


class CountsBystanders(Mutation, Barrier):
    """Counts the pods of every replicated job, target or not."""

    killed_by = ("only-targets-wait",)
    breaks = ("BAR-29",)

    def started(self, jobset: Object, pods: Pods) -> int:
        every = self.cache.of(POD, key_of(jobset))
        return sum(pod["status"].get("phase") == "Running" or spec.has_started(pod) for pod in every)


class OverlooksLateNodes(Mutation, Barrier):
    """Never counts pods on nodes that are younger than the JobSet."""

    killed_by = ("pods-wait-until-all-have-started",)
    breaks = ("BAR-23",)

    def started(self, jobset: Object, pods: Pods) -> int:
        born = jobset["metadata"]["creationTimestamp"]
        early = {node["metadata"]["name"] for node in self.client.list(NODE) if _created(node) <= born}
        return super().started(jobset, [pod for pod in pods if pod["spec"].get("nodeName") in early])


class CountsOneReplica(Mutation, Barrier):
    """Expects the pods of one replica of each job, however many replicas it has."""

    killed_by = ("three-hundred-pods-are-counted",)
    breaks = ("BAR-29",)

    def expected(self, jobset: Object) -> int:
        return sum(spec.pods_per_job(job) for job in spec.targets(jobset))


class TakesLeadersForStarted(Mutation, Barrier):
    """Counts the leader of every Job as one that has started, wherever it is."""

    killed_by = ("leader-that-starts-last-gives-the-signal",)
    breaks = ("BAR-12",)

    def expected(self, jobset: Object) -> int:
        return super().expected(jobset) - sum(spec.replicas(job) for job in spec.targets(jobset))

    def started(self, jobset: Object, pods: Pods) -> int:
        return super().started(jobset, [pod for pod in pods if not spec.is_leader(pod)])

    def count(self, jobset: Object, config_map: Object) -> float | None:
        pods = spec.members(jobset, self.cache.of(POD, key_of(jobset)))
        if self.started(jobset, pods) < self.expected(jobset) or not any(map(spec.is_scheduled, pods)):
            return 0.2
        self.release(jobset, config_map)
        return None


class CountsStrangers(Mutation, Barrier):
    """Counts the pods of other JobSets in the namespace."""

    killed_by = ("jobsets-side-by-side-do-not-release-each-other",)
    breaks = ("BAR-28",)

    def started(self, jobset: Object, pods: Pods) -> int:
        return len(self.cache.list(POD, jobset["metadata"]["namespace"], spec.has_started))


class CountsJobs(Mutation, Barrier):
    """Expects one pod of every Job, however many it has."""

    killed_by = ("jobs-of-any-shape-are-counted-pod-by-pod",)
    breaks = ("BAR-14",)

    def expected(self, jobset: Object) -> int:
        return sum(spec.replicas(job) for job in spec.targets(jobset))


class LooksOnce(Mutation, Barrier):
    """Does not look again after it found pods missing."""

    killed_by = ("follower-that-starts-last-gives-the-signal",)
    breaks = ("BAR-13",)

    def count(self, jobset: Object, config_map: Object) -> float | None:
        super().count(jobset, config_map)
        return None


class CountsFromItsStart(Mutation, Barrier):
    """Knows only of pods that started while it ran."""

    killed_by = ("controller-killed-while-pods-wait-goes-on-counting",)
    breaks = ("BAR-13",)
    began = time.time()

    def started(self, jobset: Object, pods: Pods) -> int:
        return sum(self.began < _started_at(pod) for pod in pods)


class NeverSignals(Mutation, Barrier):
    """Gives no signal to JobSets of more than one pod."""

    killed_by = (
        "signal-reaches-all-pods-within-a-sync-period",
        "no-targets-named-means-all",
        "pods-wait-until-all-have-started",
    )
    breaks = ("BAR-15", "BAR-16")

    def release(self, jobset: Object, config_map: Object) -> None:
        if self.expected(jobset) == 1:
            super().release(jobset, config_map)


class LimitsWhatRuns(Mutation, Barrier):
    """Lets the Jobs of a JobSet with a time limit fail three seconds after all of its main containers run."""

    killed_by = ("pods-that-start-in-time-never-fail",)
    breaks = ("BAR-19",)
    left: ClassVar[int] = 3  # seconds

    def reconcile(self, key: Key) -> float | None:
        super().reconcile(key)
        return 0.5

    def report_state(self, jobset: Object, *, released: bool) -> None:
        super().report_state(jobset, released=released)
        pods = list(spec.members(jobset, self.cache.of(POD, key_of(jobset))))
        limited = (spec.config(jobset) or {}).get("timeoutAfterSeconds") is not None
        run = len(pods) == self.expected(jobset) and all(pod["status"].get("phase") == "Running" for pod in pods)
        selector = f"{spec.JOBSET_LABEL}={jobset['metadata']['name']}"
        for job in self.client.list(JOB, key_of(jobset)[0], selector) if limited and released and run else ():
            if "activeDeadlineSeconds" not in job["spec"]:
                age = int(time.time() - _seconds(job["status"]["startTime"]))
                self.client.patch(JOB, *key_of(job), {"spec": {"activeDeadlineSeconds": age + self.left}})


class NeverResets(Mutation, Barrier):
    """Leaves the signal of an earlier attempt in the ConfigMap."""

    killed_by = (
        "restarted-jobset-waits-again",
        "resumed-jobset-waits-again",
        "controller-killed-during-a-restart-resets-the-barrier",
        "signal-of-a-former-attempt-is-taken-back",
    )
    breaks = ("BAR-26", "REF-06")
    quick = True

    def reset(self, config_map: Object) -> None:
        """Leaves the ConfigMap as it is."""


class TakesItBack(Mutation, Barrier):
    """Empties the ConfigMap for good once the pods have passed."""

    killed_by = ("replacement-joins-pods-that-were-released",)
    breaks = ("BAR-15",)

    def __init__(self, client: Client, cache: Cache, init_image: str) -> None:
        super().__init__(client, cache, init_image)
        self.passed: dict[str, set[str]] = {}  # attempt -> pods that got the signal

    def reconcile(self, key: Key) -> float | None:
        super().reconcile(key)
        return 0.05

    def release(self, jobset: Object, config_map: Object) -> None:
        if spec.attempt(jobset) not in self.passed:
            super().release(jobset, config_map)
            self.passed[spec.attempt(jobset)] = {pod["metadata"]["uid"] for pod in self.members(jobset)}

    def report_state(self, jobset: Object, *, released: bool) -> None:
        let_in = self.passed.get(spec.attempt(jobset), set())
        first = [pod for pod in self.members(jobset) if pod["metadata"]["uid"] in let_in]
        config_map = self.cache.get(CONFIG_MAP, *_config_map(jobset))
        if config_map is not None and released and all(pod["status"].get("phase") == "Running" for pod in first):
            self.write(config_map, None)

    def members(self, jobset: Object) -> list[Object]:
        return list(spec.members(jobset, self.cache.of(POD, key_of(jobset))))


class BeginsOpen(Mutation, Barrier):
    """Makes the ConfigMap with the signal in it."""

    killed_by = ("config-map-begins-empty", "no-signal-before-a-leader-is-placed")
    breaks = ("BAR-09", "BAR-12")

    def config_map(self, jobset: Object) -> Object:
        return {**super().config_map(jobset), "data": self.signal(jobset)}


class BeginsWithANote(Mutation, Barrier):
    """Makes the ConfigMap with something in it that is no signal."""

    killed_by = ("config-map-begins-empty",)
    breaks = ("BAR-09",)

    def config_map(self, jobset: Object) -> Object:
        return {**super().config_map(jobset), "binaryData": {"note": "bm90ZQ=="}}


class OwnedByNobody(Mutation, Barrier):
    """Forgets the owner of the ConfigMap."""

    killed_by = (
        "deleted-jobset-takes-its-config-map-along",
        "recreated-jobset-waits-again",
        "names-of-a-barrier-follow-from-the-jobset",
    )
    breaks = ("BAR-27",)

    def config_map(self, jobset: Object) -> Object:
        config_map = super().config_map(jobset)
        if jobset["metadata"]["name"] != CANARY:
            del config_map["metadata"]["ownerReferences"]
        return config_map


class MakesItOnce(Mutation, Barrier):
    """Does not make the ConfigMap again when it is deleted."""

    killed_by = ("config-map-that-was-deleted-comes-back",)
    breaks = ("BAR-08",)

    def __init__(self, client: Client, cache: Cache, init_image: str) -> None:
        super().__init__(client, cache, init_image)
        self.created: set[str] = set()

    def create(self, jobset: Object) -> float | None:
        if jobset["metadata"]["uid"] in self.created:
            return None
        self.created.add(jobset["metadata"]["uid"])
        return super().create(jobset)


class MakesOneForEachName(Mutation, Barrier):
    """Makes the ConfigMap for the first JobSet of a name alone."""

    killed_by = ("recreated-jobset-waits-again",)
    breaks = ("BAR-08",)

    def __init__(self, client: Client, cache: Cache, init_image: str) -> None:
        super().__init__(client, cache, init_image)
        self.served: dict[Key, str] = {}

    def create(self, jobset: Object) -> float | None:
        uid = jobset["metadata"]["uid"]
        return super().create(jobset) if self.served.setdefault(key_of(jobset), uid) == uid else None


class TakesWhatItFinds(Mutation, Barrier):
    """Makes a ConfigMap of the user's its own."""

    killed_by = ("config-map-of-somebody-else-is-left-alone",)
    breaks = ("REF-03",)

    def create(self, jobset: Object) -> float | None:
        theirs = self.client.get(CONFIG_MAP, *_config_map(jobset))
        if theirs is None:
            return super().create(jobset)
        meta = self.config_map(jobset)["metadata"]
        self.client.patch(CONFIG_MAP, *_config_map(jobset), {"metadata": meta, "data": None})
        return None


class WritesToEveryPod(Mutation, Barrier):
    """Annotates every pod, so that the kubelets hurry."""

    killed_by = ("signal-costs-no-write-to-any-pod",)
    breaks = ("BAR-17",)

    def release(self, jobset: Object, config_map: Object) -> None:
        super().release(jobset, config_map)
        for pod in self.cache.of(POD, key_of(jobset)):
            self.client.patch(POD, *key_of(pod), {"metadata": {"annotations": {"example.com/hurry": "up"}}})


class WritesToEveryStatus(Mutation, Barrier):
    """Notes in the status of every pod that it was released."""

    killed_by = ("signal-costs-no-write-to-any-pod",)
    breaks = ("BAR-17",)

    def release(self, jobset: Object, config_map: Object) -> None:
        super().release(jobset, config_map)
        for pod in self.cache.of(POD, key_of(jobset)):
            self.client.patch(POD, *key_of(pod), {"status": {"message": "released"}}, subresource="status")


class WritesEveryCount(Mutation, Barrier):
    """Keeps the count in the ConfigMap."""

    killed_by = ("writes-do-not-grow-with-the-pods",)
    breaks = ("BAR-30",)

    def started(self, jobset: Object, pods: Pods) -> int:
        count = super().started(jobset, pods)
        self.client.patch(CONFIG_MAP, *_config_map(jobset), {"metadata": {"annotations": {"count": str(count)}}})
        return count


def _config_map(jobset: Object) -> tuple[str, str]:
    return jobset["metadata"]["namespace"], spec.config_map_name(jobset["metadata"]["name"])


def _created(obj: Object) -> str:
    return str(obj["metadata"]["creationTimestamp"])


def _started_at(pod: Object) -> float:
    for status in pod["status"].get("initContainerStatuses") or ():
        if status["name"] == spec.INIT and "running" in status["state"]:
            return _seconds(status["state"]["running"]["startedAt"])
    return 0.0


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()
