"""Remove everything of a run from a user's cluster, or of any run: by the label it carries, and nothing else.

Nothing that a run remembers is needed for this: a run that was killed at any moment can be cleaned up from another
machine. Real nodes that a run has borrowed are given back with the resource, the labels and the taints that it put on.

As a program (`python -m harness.box.existing.removal KUBECONFIG CONTEXT RUN KINDS`) it is a keeper's farewell.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import astuple
from pathlib import Path

from harness.box.api import Api, Object
from harness.box.busy import BUSY
from harness.box.existing import loan
from harness.box.existing.access import Access, read_access
from harness.box.existing.ownership import RUN_LABEL
from harness.core.errors import ApiError, HarnessError
from harness.core.kinds import NAMESPACE, NODE, PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, POD, RESOURCE_CLAIM, Kind
from harness.core.waiting import until

TIMEOUT = 120.0  # seconds until everything is gone; a namespace takes a few seconds
CLUSTER_KINDS = (  # of objects in no namespace that cases make
    Kind("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", namespaced=False),
    Kind("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", namespaced=False),
    PERSISTENT_VOLUME,
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
AGAIN = (*BUSY, 500, 502, 504)  # answers of an API server that has no time now


def leftovers(api: Api, run: str = "", kinds: Sequence[Kind] = ()) -> list[tuple[Kind, Object]]:
    """Everything that this run, or any run, has in the cluster; `kinds` are further ones, such as queues."""
    selector = f"{RUN_LABEL}={run}" if run else RUN_LABEL
    objects: list[tuple[Kind, Object]] = []
    for kind in (NAMESPACE, NODE, *CLUSTER_KINDS, *kinds):
        objects += [(kind, obj) for obj in _list(api, kind, labelSelector=selector)]
    return objects


def remove(
    api: Api, run: str = "", kinds: Sequence[Kind] = (), tell: Callable[[str], None] = lambda text: None
) -> None:
    """Remove all of it and see it gone. HarnessError for what does not go.

    What is refused is tried again: an API server may be busy, and a queue goes only when nothing is in it.
    """
    names: set[str] = set()
    problems: dict[str, str] = {}

    def is_gone() -> bool:
        try:
            objects = leftovers(api, run, kinds)
        except ApiError as error:
            if error.status not in AGAIN:
                raise
            return False
        problems.clear()
        for kind, obj in objects:
            name = f"{kind.kind} {obj['metadata']['name']}"
            if name not in names:
                names.add(name)
                tell(name)
            if problem := _remove(api, kind, obj):
                problems[name] = problem
        return not objects

    def failure() -> HarnessError:
        there = [f"{kind.kind} {obj['metadata']['name']}" for kind, obj in leftovers(api, run, kinds)]
        listed = "; ".join(f"{name} ({problems[name]})" if name in problems else name for name in there[:8])
        return HarnessError(f"the cluster could not be cleaned up; still there: {listed}", hint="Repeat: muster clean")

    until(is_gone, TIMEOUT, "everything of the run is gone", poll=0.2, failure=failure)


def _remove(api: Api, kind: Kind, obj: Object) -> str:
    """Remove an object, or begin to; what the API server says against it."""
    name = obj["metadata"]["name"]
    try:
        if kind is NODE and loan.is_borrowed(obj):
            loan.give_back(api, name)
            return ""
        if kind is NAMESPACE:
            _empty(api, name)
        elif kind in CLUSTER_KINDS:
            _free(api, kind, "", obj)
        if not obj["metadata"].get("deletionTimestamp"):
            api.delete(kind, "", name, grace=0 if kind is NODE else None)
    except ApiError as error:
        if error.status in (401, 403) and not _is_refused_by_webhook(error):
            raise
        return error.message
    return ""


def _is_refused_by_webhook(error: ApiError) -> bool:
    """Whether an object is guarded, and not the right missing: a webhook and a missing right have the same status."""
    return "admission webhook" in error.message


def _empty(api: Api, namespace: str) -> None:
    """End the pods of a namespace at once: what plays them may be gone, and so may the owners of their finalizers.

    Claims of devices and volumes are protected while a pod uses them; not every cluster runs the controllers that end
    this.
    """
    for kind in (POD, RESOURCE_CLAIM, PERSISTENT_VOLUME_CLAIM):
        for obj in _list(api, kind, namespace):
            _free(api, kind, namespace, obj)
            api.delete(kind, namespace, obj["metadata"]["name"], grace=0)


def _list(api: Api, kind: Kind, namespace: str = "", **params: str) -> list[Object]:
    """The objects of a kind; none of one that this cluster does not have, or that we may not make."""
    try:
        return api.list(kind, namespace, **params)
    except ApiError as error:
        if error.status in (403, 404):
            return []
        raise


def _free(api: Api, kind: Kind, namespace: str, obj: Object) -> None:
    """Take its finalizers off an object of ours."""
    if obj["metadata"].get("finalizers"):
        api.patch(kind, namespace, obj["metadata"]["name"], {"metadata": {"finalizers": None}})


def command(access: Access, kubeconfig: Path, run: str, kinds: Sequence[Kind] = ()) -> list[str]:
    """The command that removes a run whose muster is gone."""
    written = json.dumps([astuple(kind) for kind in kinds])
    return [sys.executable, "-m", __name__, str(kubeconfig), access.context, run, written]


if __name__ == "__main__":
    path, context, name, written = sys.argv[1:]
    further = [Kind(*values) for values in json.loads(written)]
    remove(read_access(Path(path), context).connect(), name, further)
