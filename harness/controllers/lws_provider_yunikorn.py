"""REFERENCE: the replicas of LeaderWorkerSets as YuniKorn gangs, by what their pods say and nothing else.

A replica is an application with a task group for its leader and one for its workers. An application keeps its task
groups for ever, so each life of a replica is an application of its own: the leader draws the name, and its workers ask
the leader for it. Where the leader goes first only the leader is a gang, of one: YuniKorn would hold room for workers
that nobody has asked for yet.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence

from harness.controllers import lws_provider_sets as sets
from harness.controllers.admission import Answer, FieldError, Handler, Review
from harness.controllers.cache import Cache
from harness.controllers.client import Client, Object
from harness.controllers.lws_provider_sets import POD, SET
from harness.controllers.queue import Key
from harness.controllers.service import Watch
from harness.core.observe import pod_request

APPLICATION_LABEL = "applicationId"
GROUP_ANNOTATION = "yunikorn.apache.org/task-group-name"
GROUPS_ANNOTATION = "yunikorn.apache.org/task-groups"
PARAMETERS_ANNOTATION = "yunikorn.apache.org/schedulingPolicyParameters"
STYLE = "gangSchedulingStyle=Hard"  # all or nothing, for good
PLACEMENT = ("nodeSelector", "tolerations", "affinity", "topologySpreadConstraints")
LONGEST = 63  # characters of a label's value
TOKEN = 4  # bytes that tell the lives of a replica apart


class YuniKorn:
    """Admission is all there is: there are no group objects to keep."""

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
        """A new application, with what its members will ask for."""
        pod = review.object
        lws = self.client.get(SET, review.namespace, sets.set_name(pod))
        if lws is None:
            path = f"metadata.labels[{sets.SET_LABEL}]"
            return Answer(errors=[FieldError.invalid(path, sets.set_name(pod), "there is no such LeaderWorkerSet")])
        groups = json.dumps(self.task_groups(lws, pod), separators=(",", ":"))
        named = pod["metadata"]["labels"].get(APPLICATION_LABEL)  # asked a second time about the same pod
        return _placed(pod, named or application(review.namespace, pod), "leader", groups)

    def follow(self, review: Review) -> Answer:
        """The application of the leader; without a leader the worker has to come again."""
        pod = review.object
        leader = self.client.get(POD, review.namespace, sets.leader_name(pod))
        given = (leader or {"metadata": {}})["metadata"]
        name = (given.get("labels") or {}).get(APPLICATION_LABEL)
        if name is None:
            path = f"metadata.labels[{APPLICATION_LABEL}]"
            return Answer(errors=[FieldError.required(path, "the leader of the replica does not name it yet")])
        groups = given["annotations"][GROUPS_ANNOTATION]
        return _placed(pod, name, "worker", groups)

    def task_groups(self, lws: Object, leader: Object) -> list[Object]:
        """What is held together, and what each of its members needs."""
        groups = [_task_group("leader", 1, leader["spec"])]
        workers = sets.size(leader) - 1
        if workers and not sets.goes_first(lws):
            groups.append(_task_group("worker", workers, sets.worker_spec(lws)))
        return groups


def application(namespace: str, leader: Object) -> str:
    """A name for this life of the replica: known in the whole cluster, and never used twice."""
    token = secrets.token_hex(TOKEN)
    readable = f"{namespace}.{sets.set_name(leader)}-{sets.replica_index(leader)}"
    return f"{readable[: LONGEST - len(token) - 1]}.{token}"


def _task_group(name: str, count: int, spec: Object) -> Object:
    """Placeholders are placed by what the task group says, so it says what its members do."""
    asked = sets.written(pod_request(spec))
    return {"name": name, "minMember": count, "minResource": asked, **{f: spec[f] for f in PLACEMENT if spec.get(f)}}


def _placed(pod: Object, application: str, role: str, groups: str) -> Answer:
    annotations = {GROUPS_ANNOTATION: groups, PARAMETERS_ANNOTATION: STYLE}
    if any(group["name"] == role for group in json.loads(groups)):
        annotations[GROUP_ANNOTATION] = role
    patch = sets.put("labels", {APPLICATION_LABEL: application}, pod)
    return Answer(patch=patch + sets.put("annotations", annotations, pod))
