"""What is free on the nodes, in the queues and of volumes and devices: the arithmetic of the reference scheduler.

It is kept apart from the decisions, because a mutation changes what is decided, not how a sum is made.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from harness.box.api import Object
from harness.core.history.constraints import pod_constraints
from harness.core.history.observe import node_state, pod_request
from harness.core.quantity import millis
from harness.mutation.scheduler.claims import Claims

QUEUE = "muster.dev/queue"


@dataclass
class Room:
    """What is free on each node, and what each queue still allows."""

    nodes: dict[str, Object]  # those that can be used
    free: dict[str, dict[str, int]]
    facts: dict[str, Object] = field(default_factory=dict)  # labels and taints of every node
    queues: dict[str, dict[str, int]] = field(default_factory=dict)
    cohorts: dict[str, str] = field(default_factory=dict)  # queue -> those that it shares with, if it does
    there: dict[str, list[Object]] = field(default_factory=lambda: defaultdict(list))  # node -> pods on it
    leaving: list[Object] = field(default_factory=list)  # pods that are being deleted and still take room
    claims: Claims = field(default_factory=Claims)  # of volumes and devices
    readings: dict[int, tuple[Object, Object]] = field(default_factory=dict)  # what pods demand, read once for each

    def take(self, pod: Object, name: str, sign: int = -1) -> None:
        request, allowed = pod_request(pod["spec"]), self.allowance(pod)
        for resource, amount in {**request, "pods": 1000}.items() if name in self.free else ():
            self.free[name][resource] = self.free[name].get(resource, 0) + sign * amount
        for resource in request.keys() & allowed.keys():
            allowed[resource] += sign * request[resource]
        self.claims.take(pod, name, self.labels(name), sign)
        if sign < 0:
            self.there[name].append(pod)
        else:
            uid = pod["metadata"]["uid"]
            self.there[name] = [other for other in self.there[name] if other["metadata"]["uid"] != uid]

    def allowance(self, pod: Object) -> dict[str, int]:
        """What is left of the pod's queue, below zero if it has borrowed; nothing in it: no limit."""
        return self.queues.get(queue_of(pod), {})

    def left(self, pod: Object) -> dict[str, int]:
        """What the pod may still use: what is left of its queue and of those that the queue shares with."""
        share, cohort = self.allowance(pod), self.cohorts.get(queue_of(pod))
        if not cohort:
            return share
        shared = [self.queues[name] for name, other in self.cohorts.items() if other == cohort]
        return {resource: sum(left.get(resource, 0) for left in shared) for resource in share}

    def demands(self, pod: Object) -> Object:
        """The hard constraints of a pod, in the words of a history."""
        if id(pod) not in self.readings:
            self.readings[id(pod)] = (pod, pod_constraints(pod))
        return self.readings[id(pod)][1]

    def labels(self, name: str) -> dict[str, str]:
        labels: dict[str, str] = self.facts.get(name, {}).get("labels") or {}
        return labels

    def everyone(self) -> Iterator[tuple[Object, str]]:
        """Every pod that is on a node, with the node."""
        for name, pods in self.there.items():
            for pod in pods:
                yield pod, name

    def domains(self, label: str, begun: list[Object]) -> list[list[str]]:
        """The nodes of each domain of this label; if pods have begun, only of the domains that these are in."""
        homes = {name: (node["metadata"].get("labels") or {}).get(label) for name, node in self.nodes.items()}
        used = {homes.get(pod["spec"]["nodeName"]) for pod in begun}
        values = sorted(str(value) for value in (used or set(homes.values())) - {None})
        return [sorted(name for name in homes if homes[name] == value) for value in values]

    def copy(self) -> Room:
        return replace(
            self,
            free={name: dict(free) for name, free in self.free.items()},
            queues={name: dict(left) for name, left in self.queues.items()},
            there=defaultdict(list, {name: list(pods) for name, pods in self.there.items()}),
            claims=self.claims.copy(),
        )


def queue_of(pod: Object) -> str:
    """The queue that the pod names; empty if none."""
    return str((pod["metadata"].get("labels") or {}).get(QUEUE, ""))


def free_room(nodes: list[Object], pods: list[Object], queues: list[Object], claims: Claims) -> Room:
    """What these pods leave of these nodes and queues."""
    usable = {node["metadata"]["name"]: node for node in nodes if _usable(node)}
    space = Room(
        usable,
        {name: millis(node["status"]["allocatable"]) for name, node in usable.items()},
        {node["metadata"]["name"]: node_state(node) for node in nodes},
        {queue["metadata"]["labels"][QUEUE]: millis(json.loads(queue["data"]["limits"])) for queue in queues},
        {queue["metadata"]["labels"][QUEUE]: queue["data"].get("cohort", "") for queue in queues},
        claims=claims,
    )
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if node in space.facts and pod["status"].get("phase") not in ("Succeeded", "Failed"):
            space.take(pod, node)
            if "deletionTimestamp" in pod["metadata"] and node in usable:
                space.leaving.append(pod)
    return space


def carries(pod: Object, labels: dict[str, str]) -> bool:
    values = pod["metadata"].get("labels") or {}
    return all(values.get(key) == value for key, value in labels.items())


def _usable(node: Object) -> bool:
    conditions = node["status"].get("conditions") or ()
    ready = any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)
    return ready and not node["spec"].get("unschedulable") and "deletionTimestamp" not in node["metadata"]
