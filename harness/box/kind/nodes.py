"""The nodes of a kind box: real ones, and fake ones beside them for scale.

A real worker is a kubelet and its containers; it says how many GPUs it has because we tell it to (`gpus.py`). While
cases run, real workers carry a taint, so that what is placed on the fake nodes of a case stays there. An integration
whose cases need containers gets real workers instead of fake nodes, whenever a case asks for nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.box.api import Api, Object
from harness.box.kind.gpus import ANNOTATION
from harness.box.nodes import Nodes, Pool
from harness.core.errors import ApiError, HarnessError
from harness.core.gang import GPU
from harness.core.kinds import NODE
from harness.core.waiting import until

RESERVED = "muster.dev/real"  # taint of real workers that no case uses
_TERM = {"matchExpressions": [{"key": "muster.dev/pool", "operator": "DoesNotExist"}]}
REAL_ONLY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [_TERM]}}}
POLL = 0.1  # seconds between two looks at the nodes
MOST_PODS = 16  # of a case on one real worker: they ask for a tenth of a processor each
GPU_TIMEOUT = 30.0  # seconds until a worker shows its GPUs


class KindNodes(Nodes):
    """Fake nodes as in every box, and the real workers."""

    def __init__(self, api: Api, kubelet: str, workers: Sequence[str]) -> None:
        super().__init__(api, kubelet)
        self.workers = list(workers)
        self._borrowed: dict[str, Mapping[str, str]] = {}  # worker -> labels it got

    @property
    def host(self) -> str:
        """The worker that runs the programs of an integration: the one that cases borrow last."""
        return self.workers[-1]

    def reserve(self) -> None:
        """Keep what does not ask for them off the real workers."""
        for name in self.workers:
            self._taint(name, reserved=True)

    def add(self, pool: Pool, *, real: bool = False) -> list[str]:
        """Create fake nodes, or give the case so many real workers; their names, all of them ready."""
        return self._borrow(pool) if real else super().add(pool)

    def _borrow(self, pool: Pool) -> list[str]:
        free = [name for name in self.workers if name not in self._borrowed]
        if len(free) < pool.count or pool.gpus > MOST_PODS:
            raise HarnessError(
                f"{pool.count} nodes with room for {pool.gpus} pods are asked for; free are {len(free)} real workers "
                f"with room for {MOST_PODS} each",
                hint="Have more workers with --kind-workers, or run this case on the embedded box.",
            )
        names = free[: pool.count]
        for index, name in enumerate(names):
            labels = pool.labels_of(index)
            self.give_gpus(name, pool.gpus)
            if labels:
                self._api.patch(NODE, "", name, {"metadata": {"labels": labels}})
            self._taint(name, reserved=False)
            self._borrowed[name] = labels
        return names

    def relabel(self, name: str, labels: Mapping[str, str]) -> None:
        super().relabel(name, labels)
        if name in self._borrowed:
            self._borrowed[name] = {**self._borrowed[name], **labels}

    def give_gpus(self, name: str, gpus: int) -> None:
        """Let a real worker have so many GPUs; returns when it shows them."""
        self._api.patch(NODE, "", name, {"metadata": {"annotations": {ANNOTATION: str(gpus)}}})
        amount = {GPU: str(gpus)}
        self._api.patch(NODE, "", name, {"status": {"capacity": amount, "allocatable": amount}}, subresource="status")
        until(lambda: self._gpus_of(name) == str(gpus), GPU_TIMEOUT, f"{name} shows {gpus} GPUs", poll=POLL)

    def _gpus_of(self, name: str) -> str:
        return str(self._api.get(NODE, "", name)["status"]["allocatable"].get(GPU, "0"))

    def remove_all(self) -> None:
        """Delete every fake node, and take back the real ones."""
        super().remove_all()
        while self._borrowed:
            name, labels = self._borrowed.popitem()
            self._taint(name, reserved=True)
            change = {"metadata": {"labels": dict.fromkeys(labels)}, "spec": {"unschedulable": None}}
            self._api.patch(NODE, "", name, change)
            self.give_gpus(name, 0)

    def _taint(self, name: str, *, reserved: bool) -> None:
        for _ in range(10):
            node = self._api.get(NODE, "", name)
            taints = [taint for taint in node["spec"].get("taints") or [] if taint["key"] != RESERVED]
            if reserved:
                taints.append({"key": RESERVED, "effect": "NoSchedule"})
            change = {"metadata": {"resourceVersion": node["metadata"]["resourceVersion"]}, "spec": {"taints": taints}}
            try:
                self._api.patch(NODE, "", name, change)
                return
            except ApiError as error:  # another client changed it meanwhile; taints are a list, so look again
                if error.status != 409:
                    raise
        raise HarnessError(f"the taints of {name} changed again during every attempt of muster to change them")


def keep_off_fake_nodes(api: Api) -> None:
    """kube-proxy has no business on nodes that are none; the pod network of our own image knows that already."""
    resource = api.resource("apps/v1", "DaemonSet")
    for name in ("kube-proxy", "kindnet"):
        if api.find(resource, "kube-system", name) is not None:
            api.patch(
                resource,
                "kube-system",
                name,
                {
                    "spec": {"template": {"spec": {"affinity": REAL_ONLY}}, "updateStrategy": {"type": "OnDelete"}},
                },
            )


def is_ready(node: Object) -> bool:
    conditions = (node.get("status") or {}).get("conditions") or []
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def wait_all_ready(api: Api, names: Sequence[str], timeout: float) -> None:
    """Return once every node is there and ready; kind itself waits for the control plane alone."""

    def missing() -> list[str]:
        ready = {node["metadata"]["name"] for node in api.list(NODE) if is_ready(node)}
        return [name for name in names if name not in ready]

    def failure() -> HarnessError:
        return HarnessError(f"nodes not ready within {timeout:.0f} s: {', '.join(missing())}")

    until(lambda: not missing(), timeout, "all nodes are ready", poll=POLL, failure=failure)
