"""The queues of Kueue, as an administrator makes them: ClusterQueues that have quota, LocalQueues that lead to them.

Kueue counts quota and never looks at nodes, so its administrator must set a quota that fits the nodes. Here the quota
of the usual queue is at every moment what all nodes have to give, which is the best that an administrator can do: it is
changed when nodes are added, removed or resized. A node that is lost or cordoned is still there, and so is its quota.
Everything that runs goes through a queue, pods of no gang too.

A function that makes or changes a queue returns once Kueue itself reports the change: otherwise a gang would be let in,
or refused, by a quota that is not in force any more.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.adapters.common import hosting
from harness.adapters.common.base import Departure, Object
from harness.adapters.common.kueue_controller import CONTROLLER
from harness.adapters.common.render import parse, render
from harness.box.base import Box
from harness.core.kinds import NODE, Kind
from harness.core.quantity import millis, plain

GROUP = "kueue.x-k8s.io/v1beta2"
CLUSTER_QUEUE = Kind(GROUP, "ClusterQueue", "clusterqueues", namespaced=False)
LOCAL_QUEUE = Kind(GROUP, "LocalQueue", "localqueues")
WORKLOAD = Kind(GROUP, "Workload", "workloads")
FLAVOR, USUAL, USERS = "default-flavor", "cluster-queue", "user-queue"  # as Kueue's own examples call them
LABEL = "kueue.x-k8s.io/queue-name"
AT_LEAST = {"cpu": "100m", "memory": "100Mi", "pods": "3"}  # where there are no nodes yet: for muster's own markers
PLENTY = {"cpu": "100000", "memory": "1000Ti"}  # of what a queue with limits for something else does not limit
SETUP = (
    Departure(
        "the quota of the usual ClusterQueue is what all nodes have to give, changed as nodes come, go or change size",
        "quota is set by hand, and the best that an administrator can do is to keep it in step with the nodes",
    ),
    Departure(
        "ClusterQueues have withinClusterQueue: LowerPriority, in a cohort also reclaimWithinCohort: Any",
        "the vendor's default is that nothing is preempted; what preemption does to gangs could not be asked",
    ),
    Departure("pods of no gang name a queue as well", "quota counts nothing that does not go through a queue"),
)


def follow_nodes(box: Box) -> None:
    """Set the quota of the usual queue to what all nodes have to give."""
    total: dict[str, int] = {}
    for node in box.api.list(NODE, labelSelector=box.nodes.selector):
        for resource, amount in millis(node["status"].get("allocatable")).items():
            total[resource] = total.get(resource, 0) + amount
    for resource, amount in millis(AT_LEAST).items():
        total[resource] = max(total.get(resource, 0), amount)
    _make(box, USUAL, {resource: plain(amount) for resource, amount in sorted(total.items())})


def make_queue(box: Box, name: str, limits: Mapping[str, str]) -> None:
    """A queue of its own with these limits, and no others."""
    _make(box, name, {**PLENTY, **limits})


def make_shared_queue(box: Box, name: str, share: Mapping[str, str], cohort: str) -> None:
    """A queue that has this share, and shares with the other queues of the cohort what is unused."""
    _make(box, name, {**PLENTY, **share}, cohort)


def open_queue(box: Box, queue: str, namespace: str) -> None:
    """Have gangs of this namespace use the queue, under its name; the usual one under the name of Kueue's examples."""
    if not queue and box.api.find(CLUSTER_QUEUE, "", USUAL) is None:
        follow_nodes(box)
    name, target = (queue, queue) if queue else (USERS, USUAL)
    values = {"name": name, "namespace": namespace, "queue": target}
    box.api.apply(parse(render("kueue/local-queue.yaml.j2", **values))[0])
    _await(box, LOCAL_QUEUE, namespace, name)


def _make(box: Box, name: str, quota: Mapping[str, str], cohort: str = "") -> None:
    values = {"name": name, "limits": dict(quota), "cohort": cohort, "flavor": FLAVOR}
    for obj in parse(render("kueue/queue.yaml.j2", **values)):
        box.api.apply(obj)
    _await(box, CLUSTER_QUEUE, "", name)


def _await(box: Box, kind: Kind, namespace: str, name: str) -> None:
    def is_known() -> bool:
        return is_active(box.api.get(kind, namespace, name))

    hosting.wait(is_known, f"{kind.kind} {name!r} in force", box.processes[CONTROLLER])


def is_active(queue: Object) -> bool:
    """Whether Kueue says that it works with the queue as it is now."""
    conditions = (queue.get("status") or {}).get("conditions") or ()
    return any(
        condition["type"] == "Active"
        and condition["status"] == "True"
        and condition.get("observedGeneration", 0) == queue["metadata"].get("generation", 0)
        for condition in conditions
    )
