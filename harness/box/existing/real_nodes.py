"""Real nodes that the user has selected: borrowed for a run, given to cases in turn, and taken back.

Their processors and their memory are what they are; room is shaped by an extended resource of muster's own, which a
case asks for instead of GPUs. While the run is on they carry its taint, so no new pod of others gets there; what runs
there already stays. A case cannot lose or remove such a node, nor have other processors in it: it is not supported
there, and the reason says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

from harness.box.api import Api, Object
from harness.box.existing.loan import IN_USE, Loan, idle, in_use, lend, set_gpus
from harness.box.existing.ownership import RUN_LABEL, Ownership
from harness.box.nodes import Nodes, Pool
from harness.core.errors import ApiError, UnsupportedError, UsageError
from harness.core.gang import OWN_GPU
from harness.core.history.observe import pod_request
from harness.core.kinds import NODE, POD
from harness.core.quantity import millis
from harness.core.text import counted

KEEPS_AWAY = ("NoSchedule", "NoExecute")
ENDED = ("Succeeded", "Failed")
PLAIN = Pool(1)
SHAPED = {  # of a pool: what a real node has as it is
    "cpu": "processors",
    "memory": "memory",
    "pods": "most pods",
    "more": "further resources",
    "zones": "zones",
    "resource": "name of GPUs",
}
# What a case may put on a node with so many GPUs: as many members, and fences and markers beside them.
EACH = millis({"cpu": "100m", "memory": "64Mi", "pods": "1"})
BESIDE = millis({"cpu": "100m", "memory": "64Mi", "pods": "10"})


class RealNodes(Nodes):
    """The nodes that a run has borrowed."""

    resource = OWN_GPU

    def __init__(self, api: Api, ownership: Ownership, borrowed: Sequence[str]) -> None:
        super().__init__(api, "")
        self.borrowed = tuple(borrowed)
        self.selector = self.scope = f"{ownership.selector},{IN_USE}"
        self._ownership = ownership
        self._loans: dict[str, Loan] = {}  # of nodes that are not idle

    def borrow(self) -> None:
        """Make all of them the run's, and idle."""
        for name in self.borrowed:
            lend(self._api, name, idle(self._ownership))

    def add(self, pool: Pool, *, real: bool = False) -> list[str]:
        """Give so many of the nodes to the case; their names. UnsupportedError for what real nodes cannot be."""
        _check_shape(pool)
        free = [name for name in self.borrowed if name not in self._loans]
        if pool.count > len(free):
            raise UnsupportedError(
                f"the case needs {counted(pool.count + len(self.names), 'node')} at once; "
                f"{counted(len(self.borrowed), 'real node')} can be used"
            )
        names = free[: pool.count]
        nodes = [self._api.get(NODE, "", name) for name in names]
        for index, node in enumerate(nodes):
            self._check_room(node, pool, pool.labels_of(index))
        for index, name in enumerate(names):
            self._use(name, pool, pool.labels_of(index))
        self.names += names
        return names

    def add_marker(self, pool: Pool) -> str:
        """Label one of the nodes for a marker, an idle one if there is any."""
        free = [name for name in self.borrowed if name not in self._loans]
        plain = in_use(self._ownership, {}, ()).taints
        opened = [name for name, loan in self._loans.items() if not loan.cordoned and loan.taints == plain]
        if not free and not opened:
            raise UnsupportedError("the case cordons or taints every real node, so no node is left for a marker")
        name = [*free, *opened][0]
        former = self._loans.get(name)
        marked = (
            idle(self._ownership, pool.labels)
            if former is None
            else replace(former, labels={**former.labels, **pool.labels})
        )
        self._lend(name, marked)
        return name

    def remove_marker(self, name: str) -> None:
        if name not in self.names:
            self._rest(name)

    def remove_all(self) -> None:
        """Take all nodes back from the case."""
        for name in list(self._loans):
            self._rest(name)
        self.names.clear()

    def cordon(self, name: str) -> None:
        self._lend(name, replace(self._loans[name], cordoned=True))

    def uncordon(self, name: str) -> None:
        self._lend(name, replace(self._loans[name], cordoned=False))

    def untaint(self, name: str, key: str) -> None:
        former = self._loans[name]
        self._lend(name, replace(former, taints=tuple(taint for taint in former.taints if taint["key"] != key)))

    def relabel(self, name: str, labels: Mapping[str, str]) -> None:
        former = self._loans[name]
        _check_labels(self._api.get(NODE, "", name), labels.keys() - former.labels.keys())
        self._lend(name, replace(former, labels={**former.labels, **labels}))

    def resize(self, name: str, gpus: int) -> None:
        set_gpus(self._api, name, gpus)

    def remove(self, name: str) -> NoReturn:
        raise UnsupportedError("the case removes a node, and a real node of the cluster is not removed")

    def lose(self, name: str) -> NoReturn:
        raise UnsupportedError("the case makes a node unready, and the kubelet of a real node would report again")

    def recover(self, name: str) -> NoReturn:
        raise UnsupportedError("the kubelet of a real node reports its own status")

    def _use(self, name: str, pool: Pool, labels: Mapping[str, str]) -> None:
        set_gpus(self._api, name, pool.gpus or None)
        taints = tuple({"key": taint.key, "value": taint.value, "effect": taint.effect} for taint in pool.taints)
        self._lend(name, in_use(self._ownership, labels, taints))

    def _rest(self, name: str) -> None:
        """Let the node be idle again."""
        lend(self._api, name, idle(self._ownership))
        set_gpus(self._api, name, None)
        self._loans.pop(name, None)

    def _lend(self, name: str, loan: Loan) -> None:
        self._loans[name] = loan
        lend(self._api, name, loan)

    def _check_room(self, node: Object, pool: Pool, labels: Mapping[str, str]) -> None:
        """UnsupportedError if the node has such labels already, or no room for the pods of a case."""
        name = node["metadata"]["name"]
        _check_labels(node, labels)
        free = free_room(self._api, node)
        for resource, each in EACH.items():
            needed = each * max(1, pool.gpus) + BESIDE[resource]
            if free.get(resource, 0) < needed:
                raise UnsupportedError(
                    f"the case may need {_shown(resource, needed)} on node {name}, where "
                    f"{_shown(resource, max(0, free.get(resource, 0)))} is free"
                )


def free_room(api: Api, node: Object) -> dict[str, int]:
    """What the pods on a node leave of it, in thousandths."""
    free = millis((node.get("status") or {}).get("allocatable"))
    for pod in api.list(POD, fieldSelector=f"spec.nodeName={node['metadata']['name']}"):
        if (pod.get("status") or {}).get("phase") in ENDED:
            continue
        for resource, amount in {**pod_request(pod["spec"]), "pods": 1000}.items():
            free[resource] = free.get(resource, 0) - amount
    return free


def usable_nodes(api: Api, selector: str) -> tuple[list[str], list[str]]:
    """The nodes that the selector names and cases can use, and a sentence for each of the others.

    UsageError if the selector is none, or if no node is left.
    """
    try:
        nodes = api.list(NODE, labelSelector=selector)
    except ApiError as error:
        if error.status != 400:
            raise
        raise UsageError(
            f"--nodes-selector {selector!r} is no label selector: {error.message}", hint="Such as: pool=lab,gpu=true"
        ) from error
    if not nodes:
        raise UsageError(
            f"--nodes-selector {selector!r} matches no node of the cluster",
            hint="See their labels: kubectl get nodes --show-labels",
        )
    reasons = {node["metadata"]["name"]: _unusable(node) for node in nodes}
    left_out = [f"node {name} is left out: {reason}" for name, reason in sorted(reasons.items()) if reason]
    usable = sorted(name for name, reason in reasons.items() if not reason)
    if not usable:
        shown = "".join(f"\n  {text}" for text in left_out[:8])
        raise UsageError(f"no node that --nodes-selector {selector!r} matches can be used:{shown}")
    return usable, left_out


def _unusable(node: Object) -> str:
    """Why pods of a case would not get onto the node; empty if they would."""
    labels, spec = node["metadata"].get("labels") or {}, node.get("spec") or {}
    conditions = (node.get("status") or {}).get("conditions") or ()
    if RUN_LABEL in labels:
        return f"the run {labels[RUN_LABEL]} has it; if none is on: muster clean"
    if not any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions):
        return "it is not ready"
    if spec.get("unschedulable"):
        return "it is cordoned"
    if labels.get("kubernetes.io/os", "linux") != "linux":
        return f"it runs {labels['kubernetes.io/os']}"
    taints = [taint["key"] for taint in spec.get("taints") or () if taint.get("effect") in KEEPS_AWAY]
    return f"it has the taint {taints[0]}" if taints else ""


def _check_shape(pool: Pool) -> None:
    for name, part in SHAPED.items():
        if getattr(pool, name) != getattr(PLAIN, name):
            raise UnsupportedError(f"the case sets the {part} of its nodes, which a real node does not change")
    if any(taint.effect == "NoExecute" for taint in pool.taints):
        raise UnsupportedError("the case gives nodes a taint that evicts, which would evict what runs on real nodes")


def _check_labels(node: Object, labels: Iterable[str]) -> None:
    """UnsupportedError if the node has such labels already: they are its owner's."""
    if taken := sorted(set(labels) & set(node["metadata"].get("labels") or {})):
        name = node["metadata"]["name"]
        raise UnsupportedError(f"the case labels its nodes with {taken[0]}, which node {name} has already")


def _shown(resource: str, amount: int) -> str:
    """An amount in thousandths as people write it."""
    if resource == "memory":
        return f"{amount // 1000 >> 20}Mi of memory"
    return f"{amount // 1000} {resource}" if amount % 1000 == 0 else f"{amount}m {resource}"
