"""REFERENCE: the replicas of LeaderWorkerSets as YuniKorn gangs, declared by labels and annotations of their pods.

A replica is an application with a task group for its leader and one for its workers. An application never changes its
task groups, so each incarnation of a replica is an application of its own: admission generates its name for the leader,
and copies it to the workers. Where the leader goes first only the leader is a gang, of one: otherwise YuniKorn would
hold resources for workers that do not exist yet.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence

from harness.controllers.lws import sets as sets
from harness.controllers.runtime.admission import Answer, FieldError, Handler, Review
from harness.controllers.runtime.cache import Cache
from harness.controllers.runtime.client import Client, Object
from harness.controllers.runtime.queue import Key
from harness.controllers.runtime.service import Watch
from harness.core.history.observe import pod_request
from harness.core.kinds import LEADER_WORKER_SET, POD

APPLICATION_LABEL = "applicationId"
GROUP_ANNOTATION = "yunikorn.apache.org/task-group-name"
GROUPS_ANNOTATION = "yunikorn.apache.org/task-groups"
PARAMETERS_ANNOTATION = "yunikorn.apache.org/schedulingPolicyParameters"
STYLE = "gangSchedulingStyle=Hard"  # all or nothing, for good
PLACEMENT = ("nodeSelector", "tolerations", "affinity", "topologySpreadConstraints")
LONGEST = 63  # characters of a label's value
TOKEN = 4  # random bytes that make the name of each incarnation unique


class YuniKorn:
    """A provider with admission only: YuniKorn has no group objects."""

    name = "lws-provider"

    def __init__(self, client: Client, cache: Cache) -> None:
        self.client = client
        self.cache = cache

    @property
    def watches(self) -> Sequence[Watch]:
        return ()

    def reconcile(self, key: Key) -> float | None:
        return None

    @property
    def admission(self) -> Mapping[str, Handler]:
        return {"/mutate-pod": self.place}

    def place(self, review: Review) -> Answer:
        return self.lead(review) if sets.is_leader(review.object) else self.follow(review)

    def lead(self, review: Review) -> Answer:
        """A new application, with the requests of its members."""
        pod = review.object
        lws = self.client.get(LEADER_WORKER_SET, review.namespace, sets.set_name(pod))
        if lws is None:
            path = f"metadata.labels[{sets.SET_LABEL}]"
            return Answer(errors=[FieldError.invalid(path, sets.set_name(pod), "there is no such LeaderWorkerSet")])
        groups = json.dumps(self.task_groups(lws, pod), separators=(",", ":"))
        existing = pod["metadata"]["labels"].get(APPLICATION_LABEL)  # set if this pod was already reviewed
        return _placed(pod, existing or application(review.namespace, pod), "leader", groups)

    def follow(self, review: Review) -> Answer:
        """The application of the leader; without a leader the worker is rejected and created again."""
        pod = review.object
        leader = self.client.get(POD, review.namespace, sets.leader_name(pod))
        metadata = (leader or {"metadata": {}})["metadata"]
        name = (metadata.get("labels") or {}).get(APPLICATION_LABEL)
        if name is None:
            path = f"metadata.labels[{APPLICATION_LABEL}]"
            return Answer(errors=[FieldError.required(path, "the leader of the replica does not name it yet")])
        groups = metadata["annotations"][GROUPS_ANNOTATION]
        return _placed(pod, name, "worker", groups)

    def task_groups(self, lws: Object, leader: Object) -> list[Object]:
        """The groups of members, and the request of each member."""
        groups = [_task_group("leader", 1, leader["spec"])]
        workers = sets.size(leader) - 1
        if workers and not sets.goes_first(lws):
            groups.append(_task_group("worker", workers, sets.worker_spec(lws)))
        return groups


def application(namespace: str, leader: Object) -> str:
    """A name for this incarnation of the replica, unique in the cluster."""
    token = secrets.token_hex(TOKEN)
    readable = f"{namespace}.{sets.set_name(leader)}-{sets.replica_index(leader)}"
    return f"{readable[: LONGEST - len(token) - 1]}.{token}"


def _task_group(name: str, count: int, spec: Object) -> Object:
    """The task group; YuniKorn places placeholders by it, so it has the placement fields of its members."""
    request = sets.written(pod_request(spec))
    return {"name": name, "minMember": count, "minResource": request, **{f: spec[f] for f in PLACEMENT if spec.get(f)}}


def _placed(pod: Object, application: str, role: str, groups: str) -> Answer:
    annotations = {GROUPS_ANNOTATION: groups, PARAMETERS_ANNOTATION: STYLE}
    if any(group["name"] == role for group in json.loads(groups)):
        annotations[GROUP_ANNOTATION] = role
    patch = sets.put("labels", {APPLICATION_LABEL: application}, pod)
    return Answer(patch=patch + sets.put("annotations", annotations, pod))
