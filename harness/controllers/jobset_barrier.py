"""The barrier of JobSet KEP-498: main containers wait until every pod of their group has started.

A webhook gives the pods of the targets an init container that waits for a file. This controller looks at scheduled
leader pods, counts how many pods have started and, when all have, writes the file by one change of the ConfigMap that
all of them mount: so many pods, one write. The signal names the attempt it is for; a new attempt finds the ConfigMap
emptied, and whatever is left of an old signal does not open the barrier for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.controllers import conditions
from harness.controllers import jobset_barrier_injection as injected
from harness.controllers import jobset_barrier_rules as rules
from harness.controllers import jobset_barrier_spec as spec
from harness.controllers.admission import Answer, Handler, Review
from harness.controllers.cache import Cache, key_of
from harness.controllers.client import Client, Kind, Object
from harness.controllers.conditions import Condition
from harness.controllers.queue import Key
from harness.controllers.service import Watch

JOBSET = Kind("jobset.x-k8s.io/v1alpha2", "JobSet", "jobsets")
CONFIG_MAP = Kind("v1", "ConfigMap", "configmaps")
POD = Kind("v1", "Pod", "pods")
INTERVAL = 1.0  # seconds until the next count, while pods are missing
BLOCKED_REASON = "Blocked"
BLOCKED = 5.0  # seconds until the next look at a ConfigMap that is somebody else's
OWNED_LABEL = "app.kubernetes.io/managed-by"
CONDITION = "GroupSchedulingReleased"


class Barrier:
    """The controller; see `harness.controllers.service`."""

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
        """Have the ConfigMap, empty; at the expected count, the signal in it."""
        jobset = self.cache.get(JOBSET, *key)
        if jobset is None or jobset["metadata"].get("deletionTimestamp"):
            return None  # what it owns is for the garbage collector
        if spec.config(jobset) is None or spec.finished(jobset):
            return None
        found = self.cache.get(CONFIG_MAP, key[0], spec.config_map_name(key[1]))
        if found is None:
            return self.create(jobset)
        if not _owns(jobset, found):
            return BLOCKED  # of a former JobSet of this name: the garbage collector is on its way
        signal = found.get("data") or {}
        if signal not in ({}, self.signal(jobset)) or (signal and spec.suspended(jobset)):
            self.reset(found)
            return None  # its change wakes us
        if signal:
            self.tell(jobset, released=True)
            return None
        said = conditions.find(jobset, CONDITION)
        if said.get("status") == "True" or said.get("reason") == BLOCKED_REASON:
            self.tell(jobset, released=False)  # it was, in another attempt, or it was blocked
        return None if spec.suspended(jobset) else self.count(jobset, found)

    def create(self, jobset: Object) -> float | None:
        """The ConfigMap, without the signal, gone when its JobSet is; ours without its labels gets them back."""
        meta = jobset["metadata"]
        name = spec.config_map_name(meta["name"])
        stranger = self.client.get(CONFIG_MAP, meta["namespace"], name)
        if stranger is not None and not _owns(jobset, stranger):
            said = f"ConfigMap {name} exists and is not controlled by this JobSet: its pods wait until it is deleted"
            self.say(jobset, Condition(CONDITION, False, BLOCKED_REASON, said), warning=True)
            return BLOCKED
        made = self.config_map(jobset)
        if stranger is None:
            self.client.create(CONFIG_MAP, made)
        elif not made["metadata"]["labels"].items() <= (stranger["metadata"].get("labels") or {}).items():
            self.client.patch(CONFIG_MAP, meta["namespace"], name, {"metadata": {"labels": made["metadata"]["labels"]}})
        return None  # its arrival wakes us

    def config_map(self, jobset: Object) -> Object:
        meta = jobset["metadata"]
        owner = {
            "apiVersion": JOBSET.api_version, "kind": JOBSET.kind, "name": meta["name"], "uid": meta["uid"],
            "controller": True, "blockOwnerDeletion": True,
        }  # fmt: skip
        return {
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {
                "name": spec.config_map_name(meta["name"]), "namespace": meta["namespace"],
                "labels": {OWNED_LABEL: self.name, spec.JOBSET_LABEL: meta["name"]}, "ownerReferences": [owner],
            },
        }  # fmt: skip

    def count(self, jobset: Object, config_map: Object) -> float | None:
        """Look at the pods once a leader is scheduled; again after a short while, unless all have started."""
        pods = spec.members(jobset, self.cache.of(POD, key_of(jobset)))
        if not any(_leads(pod) for pod in pods):
            return None
        wanted = self.expected(jobset)
        if self.started(jobset, pods) < wanted:
            self.tell(jobset, released=False)
            return INTERVAL
        self.release(jobset, config_map)
        return None

    def expected(self, jobset: Object) -> int:
        return spec.expected(jobset)

    def started(self, jobset: Object, pods: Iterable[Object]) -> int:
        return spec.started(jobset, pods)

    def signal(self, jobset: Object) -> Object:
        """What the ConfigMap says when the barrier is open for the current attempt."""
        return {spec.STARTED: spec.attempt(jobset)}

    def release(self, jobset: Object, config_map: Object) -> None:
        """The one write that lets all pods go on."""
        self.write(config_map, self.signal(jobset))

    def reset(self, config_map: Object) -> None:
        """The barrier stands again: the signal was for another attempt."""
        self.write(config_map, None)

    def write(self, config_map: Object, data: Object | None) -> None:
        """Only over the version that was looked at: anything newer is looked at first."""
        meta = config_map["metadata"]
        change = {"metadata": {"resourceVersion": meta["resourceVersion"]}, "data": data}
        self.client.patch(CONFIG_MAP, meta["namespace"], meta["name"], change)

    def tell(self, jobset: Object, *, released: bool) -> None:
        """Say whether the barrier is open."""
        wanted = self.expected(jobset)
        reason = "AllPodsStarted" if released else "WaitingForPods"
        message = f"all {wanted} pods have started" if released else f"main containers wait for {wanted} pods to start"
        self.say(jobset, Condition(CONDITION, released, reason, message))

    def say(self, jobset: Object, condition: Condition, *, warning: bool = False) -> None:
        """Say how it stands by an event and a condition, unless that was said."""
        if not conditions.says(jobset, condition):
            self.client.event(jobset, f"GroupScheduling{condition.reason}", condition.message, warning=warning)
            conditions.write(self.client, JOBSET, jobset, condition)


def make(client: Client, cache: Cache, init_image: str = injected.DEFAULT_IMAGE) -> Barrier:
    return Barrier(client, cache, init_image)


def _owner(config_map: Object) -> list[Key]:
    name = (config_map["metadata"].get("labels") or {}).get(spec.JOBSET_LABEL)
    return [(config_map["metadata"]["namespace"], name)] if name else []


def _owns(jobset: Object, obj: Object) -> bool:
    owners = obj["metadata"].get("ownerReferences") or ()
    return any(one.get("controller") and one["uid"] == jobset["metadata"]["uid"] for one in owners)


def _jobset(pod: Object) -> list[Key]:
    return [(pod["metadata"]["namespace"], pod["metadata"]["labels"][spec.JOBSET_LABEL])]


def _leads(pod: Object) -> bool:
    return spec.is_leader(pod) and spec.is_scheduled(pod)
