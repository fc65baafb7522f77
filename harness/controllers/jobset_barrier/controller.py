"""The barrier of JobSet KEP-498: main containers wait until every pod of their group has started.

A webhook gives the pods of the targets an init container that waits for a file. Once a leader pod is scheduled, this
controller counts how many pods have started. When all have started, it writes the file by one change of the ConfigMap
that all of them mount: one write for any number of pods. The signal names its attempt. For a new attempt the ConfigMap
is emptied, and an old signal does not open the barrier.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.controllers.jobset_barrier import injection as injected
from harness.controllers.jobset_barrier import rules as rules
from harness.controllers.jobset_barrier import spec as spec
from harness.controllers.runtime import conditions
from harness.controllers.runtime.admission import Answer, Handler, Review
from harness.controllers.runtime.cache import Cache, key_of
from harness.controllers.runtime.client import Client, Object
from harness.controllers.runtime.conditions import Condition
from harness.controllers.runtime.queue import Key
from harness.controllers.runtime.service import Watch
from harness.core.kinds import CONFIG_MAP, JOBSET, POD

INTERVAL = 1.0  # seconds until the next count, while pods are missing
BLOCKED_REASON = "Blocked"
BLOCKED_INTERVAL = 5.0  # seconds until the next check of a ConfigMap that this JobSet does not own
OWNED_LABEL = "app.kubernetes.io/managed-by"
CONDITION = "GroupSchedulingReleased"


class Barrier:
    """The controller; see `harness.controllers.runtime.service`."""

    name = "jobset-barrier"

    def __init__(self, client: Client, cache: Cache, init_image: str = injected.DEFAULT_IMAGE) -> None:
        self.client = client
        self.cache = cache
        self.image = init_image

    @property
    def watches(self) -> Sequence[Watch]:
        return (
            Watch(JOBSET, lambda jobset: [key_of(jobset)]),
            Watch(CONFIG_MAP, _owner, selector=f"{OWNED_LABEL}={self.name}"),
            Watch(POD, _jobset, selector=spec.JOBSET_LABEL, wakes=_leads),
        )

    @property
    def admission(self) -> Mapping[str, Handler]:
        return {"/mutate": self.mutate, "/validate": self.validate}

    # -- admission ----------------------------------------------------------------------------------------------------

    def mutate(self, review: Review) -> Answer:
        """Give every target its init container."""
        return Answer(patch=injected.injection(review.object, review.old_object, self.image))

    def validate(self, review: Review) -> Answer:
        return Answer(errors=rules.errors(review.object, review.old_object))

    # -- the barrier --------------------------------------------------------------------------------------------------

    def reconcile(self, key: Key) -> float | None:
        """Ensure an empty ConfigMap; write the signal when the expected number of pods has started."""
        jobset = self.cache.get(JOBSET, *key)
        if jobset is None or jobset["metadata"].get("deletionTimestamp"):
            return None  # the garbage collector deletes what it owns
        if spec.config(jobset) is None or spec.finished(jobset):
            return None
        config_map = self.cache.get(CONFIG_MAP, key[0], spec.config_map_name(key[1]))
        if config_map is None:
            return self.create(jobset)
        if not _owns(jobset, config_map):
            return BLOCKED_INTERVAL  # it belongs to an earlier JobSet of this name: the garbage collector deletes it
        signal = config_map.get("data") or {}
        if signal not in ({}, self.signal(jobset)) or (signal and spec.suspended(jobset)):
            self.reset(config_map)
            return None  # the change of the ConfigMap triggers the next reconcile
        if signal:
            self.report_state(jobset, released=True)
            return None
        condition = conditions.condition_of(jobset, CONDITION)
        if condition.get("status") == "True" or condition.get("reason") == BLOCKED_REASON:
            self.report_state(
                jobset, released=False
            )  # the condition is of an earlier attempt, or the ConfigMap was blocked
        return None if spec.suspended(jobset) else self.count(jobset, config_map)

    def create(self, jobset: Object) -> float | None:
        """Create the ConfigMap without the signal, owned by the JobSet; restore its labels if they were removed."""
        meta = jobset["metadata"]
        name = spec.config_map_name(meta["name"])
        existing = self.client.get(CONFIG_MAP, meta["namespace"], name)
        if existing is not None and not _owns(jobset, existing):
            message = f"ConfigMap {name} exists and is not controlled by this JobSet: its pods wait until it is deleted"
            self.report(jobset, Condition(CONDITION, False, BLOCKED_REASON, message), warning=True)
            return BLOCKED_INTERVAL
        config_map = self.config_map(jobset)
        if existing is None:
            self.client.create(CONFIG_MAP, config_map)
        elif not config_map["metadata"]["labels"].items() <= (existing["metadata"].get("labels") or {}).items():
            self.client.patch(
                CONFIG_MAP, meta["namespace"], name, {"metadata": {"labels": config_map["metadata"]["labels"]}}
            )
        return None  # the new ConfigMap triggers the next reconcile

    def config_map(self, jobset: Object) -> Object:
        meta = jobset["metadata"]
        owner = {
            "apiVersion": JOBSET.api_version,
            "kind": JOBSET.kind,
            "name": meta["name"],
            "uid": meta["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
        return {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": spec.config_map_name(meta["name"]),
                "namespace": meta["namespace"],
                "labels": {OWNED_LABEL: self.name, spec.JOBSET_LABEL: meta["name"]},
                "ownerReferences": [owner],
            },
        }

    def count(self, jobset: Object, config_map: Object) -> float | None:
        """Count the pods once a leader is scheduled; count again after a second until all have started."""
        pods = spec.members(jobset, self.cache.of(POD, key_of(jobset)))
        if not any(_leads(pod) for pod in pods):
            return None
        expected = self.expected(jobset)
        if self.started(jobset, pods) < expected:
            self.report_state(jobset, released=False)
            return INTERVAL
        self.release(jobset, config_map)
        return None

    def expected(self, jobset: Object) -> int:
        return spec.expected(jobset)

    def started(self, jobset: Object, pods: Iterable[Object]) -> int:
        return spec.started(jobset, pods)

    def signal(self, jobset: Object) -> Object:
        """The content of the ConfigMap when the barrier is open for the current attempt."""
        return {spec.STARTED: spec.attempt(jobset)}

    def release(self, jobset: Object, config_map: Object) -> None:
        """Open the barrier for all pods by one write."""
        self.write(config_map, self.signal(jobset))

    def reset(self, config_map: Object) -> None:
        """Close the barrier: the signal was for another attempt."""
        self.write(config_map, None)

    def write(self, config_map: Object, data: Object | None) -> None:
        """Write only over the version that was read; if it changed, the request fails and is retried."""
        meta = config_map["metadata"]
        change = {"metadata": {"resourceVersion": meta["resourceVersion"]}, "data": data}
        self.client.patch(CONFIG_MAP, meta["namespace"], meta["name"], change)

    def report_state(self, jobset: Object, *, released: bool) -> None:
        """Report whether the barrier is open."""
        expected = self.expected(jobset)
        reason = "AllPodsStarted" if released else "WaitingForPods"
        message = (
            f"all {expected} pods have started" if released else f"main containers wait for {expected} pods to start"
        )
        self.report(jobset, Condition(CONDITION, released, reason, message))

    def report(self, jobset: Object, condition: Condition, *, warning: bool = False) -> None:
        """Report by an event and a condition, unless the JobSet already has the condition."""
        if not conditions.has(jobset, condition):
            self.client.event(jobset, f"GroupScheduling{condition.reason}", condition.message, warning=warning)
            conditions.write(self.client, JOBSET, jobset, condition)


def make(client: Client, cache: Cache, init_image: str = injected.DEFAULT_IMAGE) -> Barrier:
    return Barrier(client, cache, init_image)


def _owner(config_map: Object) -> list[Key]:
    name = (config_map["metadata"].get("labels") or {}).get(spec.JOBSET_LABEL)
    return [(config_map["metadata"]["namespace"], name)] if name else []


def _owns(jobset: Object, obj: Object) -> bool:
    owners = obj["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") and owner["uid"] == jobset["metadata"]["uid"] for owner in owners)


def _jobset(pod: Object) -> list[Key]:
    return [(pod["metadata"]["namespace"], pod["metadata"]["labels"][spec.JOBSET_LABEL])]


def _leads(pod: Object) -> bool:
    return spec.is_leader(pod) and spec.is_scheduled(pod)
