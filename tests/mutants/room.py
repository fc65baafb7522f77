"""What is free on the nodes and in the queues, and which pod fits where: the arithmetic of the control schedulers.

Kept apart from their decisions, because a sin is about what is decided, not about how a sum is made.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field

from harness.box.api import Object
from harness.core.observe import pod_request
from harness.core.quantity import millis

QUEUE = "muster.dev/queue"


@dataclass
class Room:
    """What is free on each node, and what each queue still allows."""

    nodes: dict[str, Object]
    free: dict[str, dict[str, int]]
    queues: dict[str, dict[str, int]] = field(default_factory=dict)
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
        wanted, allowed = pod_request(spec), self.allowance(pod)
        if any(amount > allowed.get(resource, amount) for resource, amount in wanted.items()):
            return False
        return all(free.get(resource, 0) >= amount for resource, amount in wanted.items())

    def take(self, pod: Object, name: str, sign: int = -1) -> None:
        wanted, allowed = pod_request(pod["spec"]), self.allowance(pod)
        for resource, amount in {**wanted, "pods": 1000}.items():
            self.free[name][resource] = self.free[name].get(resource, 0) + sign * amount
        for resource in wanted.keys() & allowed.keys():
            allowed[resource] += sign * wanted[resource]
        if sign < 0:
            self.there[name].append(pod)
        else:
            self.there[name] = [other for other in self.there[name] if other is not pod]

    def allowance(self, pod: Object) -> dict[str, int]:
        """What the pod's queue still allows; nothing in it: no limit."""
        return self.queues.get((pod["metadata"].get("labels") or {}).get(QUEUE, ""), {})

    def copy(self) -> Room:
        there = defaultdict(list, {name: list(pods) for name, pods in self.there.items()})
        free = {name: dict(free) for name, free in self.free.items()}
        return Room(self.nodes, free, {name: dict(left) for name, left in self.queues.items()}, there, self.leaving)


def room(nodes: list[Object], pods: list[Object], queues: list[Object]) -> Room:
    """What these pods leave of these nodes and queues."""
    usable = {node["metadata"]["name"]: node for node in nodes if _usable(node)}
    found = Room(
        usable,
        {name: millis(node["status"]["allocatable"]) for name, node in usable.items()},
        {queue["metadata"]["labels"][QUEUE]: millis(json.loads(queue["data"]["limits"])) for queue in queues},
    )
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if node in usable and pod["status"].get("phase") not in ("Succeeded", "Failed"):
            found.take(pod, node)
            if "deletionTimestamp" in pod["metadata"]:
                found.leaving.append(pod)
    return found


def carries(pod: Object, labels: dict[str, str]) -> bool:
    own = pod["metadata"].get("labels") or {}
    return all(own.get(key) == value for key, value in labels.items())


def _excludes(pod: Object, other: Object) -> bool:
    """Whether the pod refuses to share a node with the other one."""
    rules = ((pod["spec"].get("affinity") or {}).get("podAntiAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    )
    wanted = [(rule.get("labelSelector") or {}).get("matchLabels") or {} for rule in rules or ()]
    same = pod["metadata"]["namespace"] == other["metadata"]["namespace"]
    return same and any(labels and carries(other, labels) for labels in wanted)


def _usable(node: Object) -> bool:
    conditions = node["status"].get("conditions") or ()
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    return ready and not node["spec"].get("unschedulable") and "deletionTimestamp" not in node["metadata"]
