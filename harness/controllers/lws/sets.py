"""What the reference providers read from a LeaderWorkerSet and its pods: labels, sizes, policies and requests.

The LeaderWorkerSet controller creates the pods, with labels for the set, for the index of the replica and for the index
of the pod in the replica. The index of a leader is read from the ordinal in its name while it has no label.
"""

from __future__ import annotations

import re
from typing import Any

from harness.controllers.runtime.client import Object
from harness.core.history.observe import pod_request
from harness.core.quantity import plain

SET_LABEL = "leaderworkerset.sigs.k8s.io/name"
INDEX_LABEL = "leaderworkerset.sigs.k8s.io/group-index"
WORKER_LABEL = "leaderworkerset.sigs.k8s.io/worker-index"
SIZE_ANNOTATION = "leaderworkerset.sigs.k8s.io/size"
LEADER_ANNOTATION = "leaderworkerset.sigs.k8s.io/leader-name"
LEADERS = f"{SET_LABEL},{WORKER_LABEL}=0"  # selects the leaders among all pods
LEADER_READY = "LeaderReady"
_ORDINAL = re.compile(r".*-(\d+)")


def set_name(pod: Object) -> str:
    """The set that a pod is of."""
    return str(pod["metadata"]["labels"][SET_LABEL])


def is_leader(pod: Object) -> bool:
    labels = pod["metadata"].get("labels") or {}
    return labels.get(WORKER_LABEL) == "0"


def replica_index(pod: Object) -> str:
    """The index of a pod's replica: its label's, or for a leader the ordinal in its name; empty if there is neither."""
    labels = pod["metadata"].get("labels") or {}
    match = _ORDINAL.fullmatch(pod["metadata"].get("name", "")) if is_leader(pod) else None
    return str(labels.get(INDEX_LABEL) or (match[1] if match else ""))


def size(leader: Object) -> int:
    """How many pods the leader's replica has, itself included."""
    return int((leader["metadata"].get("annotations") or {})[SIZE_ANNOTATION])


def leader_name(pod: Object) -> str:
    """The leader of a worker."""
    return str((pod["metadata"].get("annotations") or {}).get(LEADER_ANNOTATION, ""))


def goes_first(lws: Object) -> bool:
    """Whether workers are made only when their leader is ready."""
    return bool(lws["spec"].get("startupPolicy") == LEADER_READY)


def worker_spec(lws: Object) -> Object:
    spec: Object = lws["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"]
    return spec


def total(lws: Object, leader: Object) -> dict[str, str]:
    """The sum of the requests of leader and workers; a limit counts where there is no request."""
    sums = dict(pod_request(leader["spec"]))
    for resource, amount in pod_request(worker_spec(lws)).items():
        sums[resource] = sums.get(resource, 0) + amount * (size(leader) - 1)
    return written(sums)


def written(amounts: dict[str, int]) -> dict[str, str]:
    """Amounts in thousandths as quantities."""
    return {resource: plain(amount) for resource, amount in amounts.items()}


def put(part: str, values: dict[str, str], pod: Object) -> list[Any]:
    """The JSON patch that puts these values into a map of a pod's metadata (RFC 6902)."""
    if not values:
        return []
    if not pod["metadata"].get(part):
        return [{"op": "add", "path": f"/metadata/{part}", "value": values}]
    escaped = {key.replace("~", "~0").replace("/", "~1"): value for key, value in values.items()}
    return [{"op": "add", "path": f"/metadata/{part}/{key}", "value": value} for key, value in escaped.items()]
