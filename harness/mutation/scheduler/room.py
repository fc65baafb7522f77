"""What is free on the nodes and in the queues, and which pod fits where: the arithmetic of the reference scheduler.

It is kept apart from the decisions, because a mutation changes what is decided, not how a sum is made.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from harness.box.api import Object
from harness.core.history.observe import pod_request
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

    def fits(self, pod: Object, name: str, ignored: Collection[str] = ()) -> bool:
        """Whether every filter lets the pod onto the node, but for those that are ignored."""
        return all(lets_in(self, pod, name) for label, lets_in in FILTERS.items() if label not in ignored)

    def take(self, pod: Object, name: str, sign: int = -1) -> None:
        request, allowed = pod_request(pod["spec"]), self.allowance(pod)
        for resource, amount in {**request, "pods": 1000}.items():
            self.free[name][resource] = self.free[name].get(resource, 0) + sign * amount
        for resource in request.keys() & allowed.keys():
            allowed[resource] += sign * request[resource]
        if sign < 0:
            self.there[name].append(pod)
        else:
            self.there[name] = [other for other in self.there[name] if other is not pod]

    def allowance(self, pod: Object) -> dict[str, int]:
        """What the pod's queue still allows; nothing in it: no limit."""
        return self.queues.get((pod["metadata"].get("labels") or {}).get(QUEUE, ""), {})

    def domains(self, label: str, begun: list[Object]) -> list[list[str]]:
        """The nodes of each domain of this label; if pods have begun, only of the domains that these are in."""
        homes = {name: (node["metadata"].get("labels") or {}).get(label) for name, node in self.nodes.items()}
        used = {homes.get(pod["spec"]["nodeName"]) for pod in begun}
        values = sorted(str(value) for value in (used or set(homes.values())) - {None})
        return [sorted(name for name in homes if homes[name] == value) for value in values]

    def copy(self) -> Room:
        there = defaultdict(list, {name: list(pods) for name, pods in self.there.items()})
        free = {name: dict(free) for name, free in self.free.items()}
        return Room(self.nodes, free, {name: dict(left) for name, left in self.queues.items()}, there, self.leaving)


def free_room(nodes: list[Object], pods: list[Object], queues: list[Object]) -> Room:
    """What these pods leave of these nodes and queues."""
    usable = {node["metadata"]["name"]: node for node in nodes if _usable(node)}
    space = Room(
        usable,
        {name: millis(node["status"]["allocatable"]) for name, node in usable.items()},
        {queue["metadata"]["labels"][QUEUE]: millis(json.loads(queue["data"]["limits"])) for queue in queues},
    )
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if node in usable and pod["status"].get("phase") not in ("Succeeded", "Failed"):
            space.take(pod, node)
            if "deletionTimestamp" in pod["metadata"]:
                space.leaving.append(pod)
    return space


def _selected(space: Room, pod: Object, name: str) -> bool:
    labels = space.nodes[name]["metadata"].get("labels") or {}
    return all(labels.get(key) == value for key, value in (pod["spec"].get("nodeSelector") or {}).items())


def _tolerated(space: Room, pod: Object, name: str) -> bool:
    keys = {toleration.get("key") for toleration in pod["spec"].get("tolerations") or ()}
    taints = space.nodes[name]["spec"].get("taints") or ()
    return all(taint["key"] in keys or taint["effect"] == "PreferNoSchedule" for taint in taints)


def _welcome(space: Room, pod: Object, name: str) -> bool:
    return not any(_excludes(pod, other) for other in space.there[name])


def _allowed(space: Room, pod: Object, name: str) -> bool:
    allowed = space.allowance(pod)
    return all(amount <= allowed.get(resource, amount) for resource, amount in pod_request(pod["spec"]).items())


def _has_room(space: Room, pod: Object, name: str) -> bool:
    request = {**pod_request(pod["spec"]), "pods": 1000}
    return all(space.free[name].get(resource, 0) >= amount for resource, amount in request.items())


FILTERS: Mapping[str, Callable[[Room, Object, str], bool]] = {
    "selectors": _selected,
    "taints": _tolerated,
    "anti-affinity": _welcome,
    "queue": _allowed,
    "room": _has_room,
}


def carries(pod: Object, labels: dict[str, str]) -> bool:
    values = pod["metadata"].get("labels") or {}
    return all(values.get(key) == value for key, value in labels.items())


def _excludes(pod: Object, other: Object) -> bool:
    """Whether the pod refuses to share a node with the other one."""
    rules = ((pod["spec"].get("affinity") or {}).get("podAntiAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    )
    selectors = [(rule.get("labelSelector") or {}).get("matchLabels") or {} for rule in rules or ()]
    same = pod["metadata"]["namespace"] == other["metadata"]["namespace"]
    return same and any(labels and carries(other, labels) for labels in selectors)


def _usable(node: Object) -> bool:
    conditions = node["status"].get("conditions") or ()
    ready = any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)
    return ready and not node["spec"].get("unschedulable") and "deletionTimestamp" not in node["metadata"]
