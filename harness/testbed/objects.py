"""Objects in a namespace: many created at once, and the one that is there without being asked for."""

from __future__ import annotations

from collections.abc import Sequence

from harness.box.api import Api, Object
from harness.box.bulk import create_many, encoded
from harness.core.kinds import POD

FEW = 8  # pods that are created one after another: threads cost more than they gain
ROOT_CA = "kube-root-ca.crt"  # a ConfigMap that a cluster with service accounts keeps in every namespace


def create_all(api: Api, objects: Sequence[Object]) -> None:
    """Create objects in order; many pods go in parallel, since their order has no meaning."""
    pods = [obj for obj in objects if obj["kind"] == "Pod"]
    for obj in objects:
        if obj["kind"] != "Pod":
            api.create(obj)
    if len(pods) <= FEW:
        for pod in pods:
            api.request("POST", POD.path(pod["metadata"]["namespace"]), pod)
    else:
        create_many(api, ([encoded(api, pod)] for pod in pods))
