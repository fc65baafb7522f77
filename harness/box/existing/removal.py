"""Remove what runs have left in somebody's cluster, found by the label that all of it carries, and nothing else.

Nothing that a run remembers is needed for this: a run that was killed at any moment can be cleaned up from another
machine. Real nodes that a run has borrowed are given back with the resource, the labels and the taints that it put on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from harness.box.api import PATCH_JSON, Api, Object
from harness.box.existing.access import Access, read_access
from harness.box.existing.ownership import RUN_LABEL
from harness.core.errors import ApiError, HarnessError
from harness.core.kinds import NAMESPACE, NODE, POD, Kind
from harness.core.waiting import until

TIMEOUT = 120.0  # seconds until everything is gone; a namespace takes a few seconds
BORROWED = "muster.dev/borrowed"  # annotation of a real node: what a run has put on it, as JSON
CLUSTER_KINDS = (  # of objects in no namespace that cases make
    Kind("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", namespaced=False),
    Kind("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", namespaced=False),
    Kind("v1", "PersistentVolume", "persistentvolumes", namespaced=False),
    Kind("storage.k8s.io/v1", "StorageClass", "storageclasses", namespaced=False),
    Kind("resource.k8s.io/v1", "DeviceClass", "deviceclasses", namespaced=False),
    Kind("resource.k8s.io/v1", "ResourceSlice", "resourceslices", namespaced=False),
    Kind(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicyBinding",
        "validatingadmissionpolicybindings",
        namespaced=False,
    ),
    Kind(
        "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies", namespaced=False
    ),
)


def leftovers(api: Api, run: str = "") -> list[tuple[Kind, Object]]:
    """Everything that this run, or any run, has in the cluster."""
    selector = f"{RUN_LABEL}={run}" if run else RUN_LABEL
    objects: list[tuple[Kind, Object]] = []
    for kind in (NAMESPACE, NODE, *CLUSTER_KINDS):
        try:
            objects += [(kind, obj) for obj in api.list(kind, labelSelector=selector)]
        except ApiError as error:
            if error.status not in (403, 404):  # no such kind here, or one that nobody lets us make
                raise
    return objects


def remove(api: Api, run: str = "", tell: Callable[[str], None] = lambda text: None) -> int:
    """Remove all of it and see it gone; how many objects there were. HarnessError for what does not go."""
    objects = leftovers(api, run)
    for kind, obj in objects:
        name = obj["metadata"]["name"]
        tell(f"{kind.kind} {name}")
        if kind is NAMESPACE:
            _empty(api, name)
        if kind is NODE and BORROWED in (obj["metadata"].get("annotations") or {}):
            give_back(api, obj)
        else:
            api.delete(kind, "", name, grace=0 if kind is NODE else None)

    def failure() -> HarnessError:
        names = ", ".join(f"{kind.kind} {obj['metadata']['name']}" for kind, obj in leftovers(api, run)[:8])
        return HarnessError(f"the cluster could not be cleaned up; still there: {names}", hint="Repeat: muster clean")

    until(lambda: not leftovers(api, run), TIMEOUT, "everything of the run is gone", poll=0.2, failure=failure)
    return len(objects)


def _empty(api: Api, namespace: str) -> None:
    """End the pods of a namespace at once: what plays them may be gone, and so may the owners of their finalizers."""
    for pod in api.list(POD, namespace):
        name = pod["metadata"]["name"]
        if pod["metadata"].get("finalizers"):
            api.patch(POD, namespace, name, {"metadata": {"finalizers": None}})
        api.delete(POD, namespace, name, grace=0)


def give_back(api: Api, node: Object) -> None:
    """Take from a real node what a run has put on it."""
    name, meta = node["metadata"]["name"], node["metadata"]
    borrowed = json.loads(meta["annotations"][BORROWED])
    for part in ("capacity", "allocatable"):
        if borrowed["resource"] in (node["status"].get(part) or {}):
            path = f"/status/{part}/{borrowed['resource'].replace('~', '~0').replace('/', '~1')}"
            removal = [{"op": "remove", "path": path}]
            api.patch(NODE, "", name, removal, subresource="status", content_type=PATCH_JSON)
    taints = [taint for taint in node["spec"].get("taints") or () if taint["key"] not in borrowed["taints"]]
    unlabelled = dict.fromkeys((*borrowed["labels"], RUN_LABEL))
    change = {
        "metadata": {"labels": unlabelled, "annotations": {BORROWED: None}},
        "spec": {"taints": taints or None},
    }
    api.patch(NODE, "", name, change)


def command(access: Access, kubeconfig: Path, run: str) -> list[str]:
    """The command that removes a run of which nobody is left to do it."""
    return [sys.executable, "-m", __name__, str(kubeconfig), access.context, run]


if __name__ == "__main__":
    path, context, name = sys.argv[1:]
    remove(read_access(Path(path), context).connect(), name)
