"""Pods of no gang that a ReplicaSet keeps: who takes them away has to reckon that they come back."""

from __future__ import annotations

from collections.abc import Callable

from harness.adapters.common.render import single_pod
from harness.cases.context import Context
from harness.core.gang import GPU
from harness.core.history.records import Record

LABEL = "muster.dev/replicas"


class Replicas:
    """A ReplicaSet in the world, for the scheduler under test."""

    def __init__(self, context: Context, name: str, count: int, gpus: int) -> None:
        self._context = context
        self._name = name
        self.count = count
        request = {"cpu": "100m", "memory": "64Mi", GPU: str(gpus)}
        pod = single_pod(context.testbed.adapter, context.namespace, name, part="plain", request=request)
        labels = {**pod["metadata"]["labels"], LABEL: name}
        context.create(
            {
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "metadata": {"name": name, "namespace": context.namespace},
                "spec": {
                    "replicas": count,
                    "selector": {"matchLabels": {LABEL: name}},
                    "template": {"metadata": {"labels": labels}, "spec": {**pod["spec"], "restartPolicy": "Always"}},
                },
            }
        )
        kind = context.api.resource("apps/v1", "ReplicaSet")
        context.testbed.cleanup.callback(context.api.delete, kind, context.namespace, name)

    @property
    def bound(self) -> int:
        """How many of its pods have a node and are not going away."""
        return sum(bool(pod.state.get("node")) and not pod.state.get("deleting") for pod in self._pods())

    def is_on(self, node: str) -> Callable[[], bool]:
        """A condition: one of its pods is on this node."""
        return lambda: any(pod.state.get("node") == node for pod in self._pods())

    def _pods(self) -> list[Record]:
        pods = self._context.recorder.latest("Pod")
        return [pod for pod in pods if (pod.state.get("labels") or {}).get(LABEL) == self._name]
