"""What is free on the nodes, and which pod fits where: the arithmetic of the control schedulers.

Kept apart from their decisions, because a sin is about what is decided, not about how a sum is made.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from harness.box.api import Object
from harness.core.observe import pod_request


@dataclass
class Room:
    """What is free on each node."""

    nodes: dict[str, Object]
    free: dict[str, dict[str, int]]
    there: dict[str, list[Object]] = field(default_factory=lambda: defaultdict(list))  # node -> pods on it
    leaving: list[Object] = field(default_factory=list)  # pods that are being deleted and still take room

    def fits(self, pod: Object, name: str) -> bool:
        node, free = self.nodes[name], self.free[name]
        spec, labels = pod["spec"], node["metadata"].get("labels") or {}
        if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
            return False
        tolerated = {toleration.get("key") for toleration in spec.get("tolerations") or ()}
        taints = [taint for taint in node["spec"].get("taints") or () if taint["effect"] != "PreferNoSchedule"]
        if any(taint["key"] not in tolerated for taint in taints) or free.get("pods", 0) < 1000:
            return False
        if any(_excludes(pod, other) for other in self.there[name]):
            return False
        return all(free.get(resource, 0) >= amount for resource, amount in pod_request(spec).items())

    def take(self, pod: Object, name: str, sign: int = -1) -> None:
        for resource, amount in {**pod_request(pod["spec"]), "pods": 1000}.items():
            self.free[name][resource] = self.free[name].get(resource, 0) + sign * amount
        if sign < 0:
            self.there[name].append(pod)
        else:
            self.there[name] = [other for other in self.there[name] if other is not pod]

    def copy(self) -> Room:
        there = defaultdict(list, {name: list(pods) for name, pods in self.there.items()})
        return Room(self.nodes, {name: dict(free) for name, free in self.free.items()}, there, self.leaving)


def _excludes(pod: Object, other: Object) -> bool:
    """Whether the pod refuses to share a node with the other one."""
    rules = ((pod["spec"].get("affinity") or {}).get("podAntiAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    )
    wanted = [(rule.get("labelSelector") or {}).get("matchLabels") or {} for rule in rules or ()]
    same = pod["metadata"]["namespace"] == other["metadata"]["namespace"]
    return same and any(labels and carries(other, labels) for labels in wanted)


def carries(pod: Object, labels: dict[str, str]) -> bool:
    own = pod["metadata"].get("labels") or {}
    return all(own.get(key) == value for key, value in labels.items())
