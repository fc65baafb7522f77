"""`world.cluster`: nodes that change while a case runs, where pods are, and what belongs to the whole cluster.

Every change writes itself into the history first, so that the checks know what the scheduler could use. What takes room
away returns once the scheduler has seen it: a promise that follows is about a scheduler that knows.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import psutil

from harness.adapters.common.render import single_pod
from harness.box.nodes import RACK
from harness.cases.context import Context
from harness.cases.gang import SubmittedGang
from harness.core.errors import UnsupportedError
from harness.core.gang import GPU
from harness.core.kinds import POD

NODE_TAINTS = "node.kubernetes.io/"  # what taints begin with that a cluster gives to nodes in trouble
SPAN = 1.5  # seconds over which processor time is measured: enough for the coarse clock of the system


class Cluster:
    """Nodes and the pods on them."""

    RACK = RACK  # the node label of racks

    def __init__(self, context: Context) -> None:
        self._context = context

    @property
    def gpu(self) -> str:
        """What GPUs are called here, in requests and on nodes."""
        return self._context.testbed.box.nodes.resource

    def another_namespace(self) -> str:
        """One more namespace that belongs to the case; its name."""
        return self._context.testbed.namespace()

    def runtime_class(self, name: str, overhead: dict[str, str]) -> str:
        """A RuntimeClass whose pods need this much besides their containers; its name, which is unique to the case."""
        unique = self._context.unique(name)
        meta = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": unique}}
        self._context.create({**meta, "handler": "runc", "overhead": {"podFixed": overhead}})
        return unique

    def next_second(self) -> None:
        """Go on when the next second has begun: objects know their age in whole seconds."""
        begun = int(time.time())
        self._context.recorder.wait(lambda: int(time.time()) > begun, begun + 1.01 - time.time())

    def cordon(self, *names: str) -> None:
        for name in names:
            self._change(name, "cordon")
        self._context.see_nodes()

    def uncordon(self, *names: str) -> None:
        for name in names:
            self._change(name, "uncordon")

    def untaint(self, name: str, key: str) -> None:
        """Take the taint of this key off the node."""
        self._change(name, "untaint", key=key)

    def relabel(self, name: str, labels: Mapping[str, str]) -> None:
        """Give the node these labels beside those that it has."""
        self._change(name, "relabel", labels=dict(labels))

    def lose(self, name: str) -> None:
        """The kubelet of the node stops reporting; the node is tainted for it."""
        self._change(name, "lose")
        self._context.until(lambda: self.is_tainted(name), "bound")
        self._context.see_nodes()

    def recover(self, name: str) -> None:
        """The kubelet of a lost node reports again."""
        self._change(name, "recover")

    def resize(self, name: str, gpus: int) -> None:
        rooms = {node.name: node.state.get("allocatable") or {} for node in self._context.recorder.latest("Node")}
        self._change(name, "resize", gpus=gpus)
        self._context.testbed.follow_nodes()
        if gpus * 1000 < rooms.get(name, {}).get(self.gpu, 0):
            self._context.see_nodes()

    def remove(self, name: str) -> None:
        self._context.recorder.act("node-remove", nodes=[name])
        self._context.testbed.box.nodes.remove(name)
        self._context.testbed.follow_nodes()
        self._context.see_nodes()

    def occupy(self, node: str, gpus: int) -> str:
        """Put a pod of nobody's scheduler and of another namespace on the node; its namespace and name."""
        context = self._context
        namespace = context.testbed.namespace()
        amounts = {"cpu": "100m", "memory": "64Mi", GPU: str(gpus)}
        pod = single_pod(context.testbed.adapter, namespace, "guest", part="plain", request=amounts)
        pod["spec"] |= {"nodeName": node, "schedulerName": "nobody"}
        for label in context.testbed.adapter.pod_labels:  # those are for the scheduler under test
            del pod["metadata"]["labels"][label]
        context.create(pod)
        return f"{namespace}/guest"

    def vacate(self, guest: str) -> None:
        """Delete a pod that `occupy` made."""
        namespace, _, name = guest.partition("/")
        self._context.note_deletion(namespace, name)
        self._context.api.delete(POD, namespace, name, grace=0)

    def is_tainted(self, name: str) -> bool:
        """Whether the cluster has tainted the node, as it does with a lost one once that was noticed."""
        nodes = [node for node in self._context.recorder.latest("Node") if node.name == name]
        return any(taint.startswith(NODE_TAINTS) for node in nodes for taint in node.state.get("taints") or ())

    def node_of(self, pod: str) -> str:
        """The node of a pod of no gang; empty while it has none."""
        return self._context.node_of(pod)

    def domains(self, gang: SubmittedGang, label: str = RACK, *, role: str = "") -> set[str]:
        """The values of a node label that the gang's members, or those of one role, are found under."""
        nodes = {node.name: node.state.get("labels") or {} for node in self._context.recorder.latest("Node")}
        places = {pod.node for pod in gang.members() if pod.node and role in ("", pod.role)}
        return {str(nodes[name].get(label)) for name in places}

    def terminating(self) -> list[str]:
        """The pods of the case that are deleted and still there."""
        namespaces = self._context.testbed.namespaces
        pods = [pod for pod in list(self._context.recorder.timeline.pods.values()) if pod.deleting and not pod.gone]
        return sorted(pod.record.name for pod in pods if pod.record.namespace in namespaces)

    def processor_share(self, role: str) -> float:
        """Of how many processors the processes of a role are busy, over a second and a half."""
        context = self._context
        pids = [process.pid for process in context.processes(role)]
        if not all(pids):
            raise UnsupportedError(f"how busy the {role} is cannot be seen from this machine")
        processes = [psutil.Process(pid) for pid in pids]
        began, before = time.monotonic(), sum(sum(process.cpu_times()[:2]) for process in processes)
        context.recorder.wait(lambda: False, SPAN)
        spent = sum(sum(process.cpu_times()[:2]) for process in processes) - before
        return spent / (time.monotonic() - began)

    def _change(self, name: str, change: str, **details: Any) -> None:
        self._context.recorder.act("node-change", nodes=[name], change=change, **details)
        getattr(self._context.testbed.box.nodes, change)(name, **details)
