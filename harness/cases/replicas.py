"""Pods of no gang that a ReplicaSet keeps: who takes them away has to reckon that they come back."""

from __future__ import annotations

from harness.adapters.common.render import single_pod
from harness.cases.context import Context
from harness.core.gang import GPU
from harness.core.oracle.incarnation import Pod

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
        """How many of its pods are bound and neither failed nor going away."""
        return sum(pod.placed for pod in self._pods())

    def nodes(self) -> list[str]:
        """The nodes that its pods are on."""
        return sorted(pod.node for pod in self._pods() if pod.placed)

    def _pods(self) -> list[Pod]:
        with self._context.recorder.changed:
            pods = list(self._context.recorder.timeline.pods.values())
        return [pod for pod in pods if (pod.record.state.get("labels") or {}).get(LABEL) == self._name]
