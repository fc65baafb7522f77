"""Nodes of a run in a user's cluster: fake ones beside the cluster's own, marked and tainted as the run's."""

from __future__ import annotations

from harness.box.api import Api
from harness.box.existing.ownership import Ownership
from harness.box.nodes import Nodes, Pool
from harness.core.gang import OWN_GPU
from harness.core.kinds import NODE
from harness.core.waiting import until

USABLE_TIMEOUT = 30.0  # seconds until the cluster takes the taint of an unready node away


class OwnNodes(Nodes):
    """Fake nodes that belong to one run; names of the cluster's own nodes cannot be hit."""

    resource = OWN_GPU

    def __init__(self, api: Api, kubelet: str, ownership: Ownership) -> None:
        super().__init__(api, kubelet, prefix=f"muster-{ownership.run}-", player=ownership.run)
        self.selector = self.scope = ownership.selector

    def add(self, pool: Pool, *, real: bool = False) -> list[str]:
        """Create a pool; most clusters taint a new node as unready, and take that away once they have seen it."""
        names = super().add(pool, real=real)
        until(lambda: not self._unready(set(names)), USABLE_TIMEOUT, "the new nodes can be used", poll=0.05)
        return names

    def _unready(self, names: set[str]) -> list[str]:
        nodes = self._api.list(NODE, labelSelector=self.selector)
        return [
            node["metadata"]["name"]
            for node in nodes
            if node["metadata"]["name"] in names
            and any(taint["key"] == "node.kubernetes.io/not-ready" for taint in node["spec"].get("taints") or ())
        ]
