"""Nodes that look like GPU machines, and the changes that can be made to them.

A fake node is born ready: it is created together with its status, the way a kubelet registers itself, so it can take
pods the moment the API server has it. KWOK renews its lease and plays its pods. Everything that happens to a real node
can be done to it at run time: lost, cordoned, grown, shrunk, removed.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import jinja2
import yaml

from harness.box.api import PATCH_STRATEGIC, Api, Object
from harness.box.bulk import create_many, encoded
from harness.box.data import data_root
from harness.core.errors import ApiError, HarnessError, UsageError
from harness.core.gang import GPU
from harness.core.kinds import NODE
from harness.core.quantity import milli, plain

ZONE = "topology.kubernetes.io/zone"
RACK = "muster.dev/rack"
POOL = "muster.dev/pool"
MARKER_LABEL = "muster.dev/marker"  # of the node that a marker fits, and the taint of nodes that are for markers alone
FEW = 16  # objects that are created one after another: threads cost more than they gain
TRIES = 10  # controllers and KWOK write to nodes too; each of them makes one try fail
PLAYER = "fake"  # value of KWOK's annotation on the nodes that it looks after
_FORM = re.compile(r"(\d{1,5})x(\d{1,4})")


@dataclass(frozen=True, slots=True)
class Taint:
    key: str
    value: str = ""
    effect: str = "NoSchedule"


@dataclass(frozen=True, slots=True)
class Pool:
    """So many nodes of one kind."""

    count: int
    gpus: int = 8
    name: str = "node"  # nodes are called <name>-0, <name>-1, ...
    cpu: str = "64"
    memory: str = "512Gi"
    pods: int = 110
    resource: str = GPU
    racks: int = 0  # spread evenly over this many values of muster.dev/rack; 0 means no such label
    zones: int = 0  # the same for topology.kubernetes.io/zone
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[Taint] = ()
    is_domain: bool = True  # whether it has the label kubernetes.io/hostname, by which pods are spread over nodes
    more: Mapping[str, str] = field(default_factory=dict)  # further resources, such as ephemeral-storage

    @staticmethod
    def parse(text: str) -> Pool:
        """`8x4` is eight nodes of four GPUs."""
        match = _FORM.fullmatch(text.strip())
        if match is None or int(match[1]) == 0:
            raise UsageError(
                f"{text!r} is not a pool of nodes",
                hint="Give COUNTxGPUS, such as 8x8 for eight nodes of eight GPUs. COUNT is 1 to 99999, GPUS 0 to 9999.",
            )
        return Pool(int(match[1]), gpus=int(match[2]))

    def resources(self) -> dict[str, str]:
        gpus = {self.resource: str(self.gpus)} if self.gpus else {}
        return {"cpu": self.cpu, "memory": self.memory, "pods": str(self.pods), **gpus, **self.more}

    def labels_of(self, index: int) -> dict[str, str]:
        spread = {}
        if self.racks:
            spread[RACK] = f"rack-{index * self.racks // self.count}"
        if self.zones:
            spread[ZONE] = f"zone-{index * self.zones // self.count}"
        return {**spread, **self.labels}


class Nodes:
    """The fake nodes of one box."""

    selector = POOL  # the label that other nodes do not have
    scope = ""  # selects the nodes that belong to a history; empty: every node of the box
    resource = GPU  # what their GPUs are called

    def __init__(self, api: Api, kubelet: str, *, prefix: str = "", player: str = PLAYER) -> None:
        """`prefix` begins every name; `player` is the KWOK that plays their pods, where a cluster may have another."""
        self._api = api
        self._kubelet = kubelet
        self._prefix = prefix
        self._player = player
        self.names: list[str] = []
        self._used_names: set[str] = set()  # a scheduler may remember what was on a node that is gone

    def add(self, pool: Pool, *, real: bool = False) -> list[str]:
        """Create a pool; the names of its nodes, all of them ready. No name is given twice.

        `real` asks for nodes that run containers, which only some boxes have.
        """
        if real:
            raise HarnessError("this box has no nodes that run containers")
        free = (name for i in range(100_000) if (name := f"{self._prefix}{pool.name}-{i}") not in self._used_names)
        names = [next(free) for _ in range(pool.count)]
        objects = [render_node(pool, name, index, self._kubelet, self._player) for index, name in enumerate(names)]
        if len(objects) <= FEW:
            for obj in objects:
                self._api.request("POST", NODE.path(), obj)
        else:
            create_many(self._api, ([encoded(self._api, obj)] for obj in objects))
        self.names += names
        self._used_names.update(names)
        return names

    def add_marker(self, pool: Pool) -> str:
        """The node of a marker, whose labels no node has yet; its name."""
        (name,) = self.add(pool)
        return name

    def remove_marker(self, name: str) -> None:
        """Take away what `add_marker` has made."""
        self.remove(name)

    def remove(self, name: str) -> None:
        """Delete the node; what ran on it is left to the controllers."""
        self._api.delete(NODE, "", name, grace=0)
        self.names.remove(name)

    def remove_all(self) -> None:
        """Delete every node of the box by one request."""
        self._api.delete_all(NODE, grace=0, labelSelector=self.selector)
        self.names.clear()

    def cordon(self, name: str) -> None:
        self._api.patch(NODE, "", name, {"spec": {"unschedulable": True}})

    def uncordon(self, name: str) -> None:
        self._api.patch(NODE, "", name, {"spec": {"unschedulable": None}})

    def untaint(self, name: str, key: str) -> None:
        """Take the taint of this key off the node, and leave those that others have put there."""
        for _ in range(TRIES):
            node = self._api.get(NODE, "", name)
            taints = [taint for taint in node["spec"].get("taints") or () if taint["key"] != key]
            meta = {"resourceVersion": node["metadata"]["resourceVersion"]}
            try:
                self._api.patch(NODE, "", name, {"metadata": meta, "spec": {"taints": taints or None}})
                return
            except ApiError as error:  # another client changed it meanwhile; taints are a list, so look again
                if error.status != 409:
                    raise
        raise HarnessError(f"node {name} changed again during every attempt of muster to take a taint off it")

    def relabel(self, name: str, labels: Mapping[str, str]) -> None:
        """Give the node these labels beside those that it has."""
        self._api.patch(NODE, "", name, {"metadata": {"labels": dict(labels)}})

    def lose(self, name: str) -> None:
        """Make the node NotReady, as if its kubelet had fallen silent."""
        self._condition(name, "Unknown", "NodeStatusUnknown")

    def recover(self, name: str) -> None:
        self._condition(name, "True", "KubeletReady")

    def resize(self, name: str, gpus: int) -> None:
        """Change how many GPUs the node has to give, up or down."""
        amount = {self.resource: str(gpus)}
        status = {"capacity": capacity_of(amount), "allocatable": amount}
        self._api.patch(NODE, "", name, {"status": status}, subresource="status")

    def _condition(self, name: str, status: str, reason: str) -> None:
        now = _now()
        ready = {
            "type": "Ready",
            "status": status,
            "reason": reason,
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
        }
        change = {"status": {"conditions": [ready]}}
        self._api.patch(NODE, "", name, change, subresource="status", content_type=PATCH_STRATEGIC)


def render_node(pool: Pool, name: str, index: int, kubelet: str, player: str = PLAYER) -> Object:
    """The Node object, from clusters/nodes/node.yaml.j2."""
    text = _template().render(
        name=name,
        pool=pool.name,
        labels=pool.labels_of(index),
        taints=pool.taints,
        is_domain=pool.is_domain,
        capacity=capacity_of(pool.resources()),
        allocatable=pool.resources(),
        now=_now(),
        kubelet=kubelet,
        player=player,
    )
    obj: Object = yaml.load(text, Loader=_loader())
    return obj


def capacity_of(allocatable: Mapping[str, str]) -> dict[str, str]:
    """What a node shows as its capacity that has this to give: twice as much of everything but pods.

    A kubelet keeps a part for the system and leaves out devices that are not healthy. Here that is as much as the rest:
    whoever takes capacity for room puts a member too many on a node, whatever runs out first.
    """
    return {name: amount if name == "pods" else plain(2 * milli(amount)) for name, amount in allocatable.items()}


def parse_pools(text: str) -> list[Pool]:
    """`8x8` or `4x8,2x4`: one pool or several, named node, node-b, node-c..."""
    parts = [part for part in text.split(",") if part.strip()] or [text]
    pools = [Pool.parse(part) for part in parts]
    return [_named(pool, index) for index, pool in enumerate(pools)]


def total(pools: Iterable[Pool]) -> int:
    return sum(pool.count for pool in pools)


def _named(pool: Pool, index: int) -> Pool:
    return pool if index == 0 else replace(pool, name=f"node-{chr(ord('a') + index)}")


@lru_cache(maxsize=1)
def _template() -> jinja2.Template:
    source = (data_root() / "clusters" / "nodes" / "node.yaml.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=True)
    return environment.from_string(source)


def _loader() -> Any:
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
