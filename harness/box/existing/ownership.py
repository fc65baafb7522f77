"""What makes an object muster's own in a user's cluster: a label on everything, and pods that stay on own nodes.

Every object that a run creates passes through `OwnedApi`, cases and controllers' templates included, so nothing can be
forgotten: `muster clean` finds all of it by the label, whatever happened to the run. Pods get a node selector and a
toleration for the taint of the run's nodes: no other workload lands there, and no pod of a case lands elsewhere.

Nodes have, and pods ask for, a resource of muster's own instead of GPUs. Real GPUs of the cluster are neither taken
nor counted: there is exactly as much room in it as the case has made, and a run changes no share of GPUs.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.box.api import Api, Object
from harness.core.gang import GPU, OWN_GPU

RUN_LABEL = "muster.dev/run"
PAUSE = "registry.k8s.io/pause:"  # what the image of pods in cases begins with, which does nothing
_UNLABELLED = ("Binding", "Eviction", "SelfSubjectAccessReview")  # requests that leave no object of their own


@dataclass(frozen=True, slots=True)
class Ownership:
    """The mark of one run."""

    run: str
    image: str = ""  # in place of the pause image; empty: as it is

    @property
    def selector(self) -> str:
        return f"{RUN_LABEL}={self.run}"

    @property
    def labels(self) -> dict[str, str]:
        return {RUN_LABEL: self.run}

    @property
    def taint(self) -> dict[str, str]:
        return {"key": RUN_LABEL, "value": self.run, "effect": "NoSchedule"}

    @property
    def toleration(self) -> dict[str, str]:
        return {"key": RUN_LABEL, "operator": "Equal", "value": self.run, "effect": "NoSchedule"}

    def mark(self, obj: Mapping[str, Any]) -> Object:
        """A copy of the object that is this run's own."""
        marked: Object = self.named(obj)
        marked.setdefault("metadata", {}).setdefault("labels", {}).update(self.labels)
        if marked.get("kind") == "Node":
            spec = marked.setdefault("spec", {})
            spec["taints"] = [*(spec.get("taints") or ()), self.taint]
        for pod in pods_in(marked):
            pod.setdefault("metadata", {}).setdefault("labels", {}).update(self.labels)
            spec = pod["spec"]
            spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **self.labels}
            spec["tolerations"] = [*(spec.get("tolerations") or ()), self.toleration]
            for container in (*spec["containers"], *(spec.get("initContainers") or ())):
                if self.image and str(container.get("image", "")).startswith(PAUSE):
                    container["image"] = self.image
        return marked

    @staticmethod
    def named(body: Any) -> Any:
        """The body of a request with the name of our own resource, wherever it speaks of GPUs: some objects have
        requests in annotations, as text."""
        return body if body is None else json.loads(json.dumps(body).replace(GPU, OWN_GPU))


def pods_in(obj: Any) -> Iterator[Object]:
    """The object itself if it is a pod, and every pod template in it."""
    if isinstance(obj, dict):
        spec = obj.get("spec")
        if isinstance(spec, dict) and isinstance(spec.get("containers"), list):
            yield obj
        for value in obj.values():
            yield from pods_in(value)
    elif isinstance(obj, list):
        for value in obj:
            yield from pods_in(value)


class OwnedApi(Api):
    """A client that creates nothing but objects of one run."""

    def __init__(
        self,
        server: str,
        context: ssl.SSLContext,
        authorize: Callable[[], Mapping[str, str]],
        ownership: Ownership,
    ) -> None:
        super().__init__(server, context, authorize=authorize)
        self.ownership = ownership

    def prepared(self, body: Any, *, creates: bool) -> Any:
        is_own = creates and isinstance(body, dict) and body.get("kind") not in _UNLABELLED
        return self.ownership.mark(body) if is_own else self.ownership.named(body)
