"""What a run puts on a real node of a user's cluster, and how all of it is removed again.

A node that the user has selected is borrowed: it gets the run's label, taints that keep others and idle cases off, and
an amount of `muster.dev/gpu`. Labels and taints are written together with an annotation that names them, by one
request, so whatever happens to the run, what was put on is known from the node alone. What the cluster's owner has put
there is neither changed nor needed for that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.box.api import Api, Object
from harness.box.existing.ownership import Ownership
from harness.box.nodes import MARKER_LABEL
from harness.core.errors import ApiError, HarnessError
from harness.core.gang import OWN_GPU
from harness.core.kinds import NODE

BORROWED = "muster.dev/borrowed"  # annotation of a real node: what a run has put on it, as JSON
IN_USE = "muster.dev/in-use"  # label of a borrowed node that a case or a marker uses
IDLE = {"key": MARKER_LABEL, "value": "", "effect": "NoSchedule"}  # taint of one that no case uses
TRIES = 20  # a kubelet and controllers write to the node too; each of them makes one try fail


@dataclass(frozen=True, slots=True)
class Loan:
    """What is put on a node."""

    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Mapping[str, str], ...] = ()
    cordoned: bool = False

    def note(self) -> str:
        """What has to be known to take it off again."""
        taken = {"labels": sorted(self.labels), "taints": [taint["key"] for taint in self.taints]}
        return json.dumps({**taken, "cordoned": self.cordoned}, sort_keys=True)


def idle(ownership: Ownership, labels: Mapping[str, str] | None = None) -> Loan:
    """Nobody but a marker gets onto the node; with labels it is a marker's."""
    used = {IN_USE: "true", **labels} if labels else {}
    return Loan({**ownership.labels, **used}, (ownership.taint, IDLE))


def in_use(ownership: Ownership, labels: Mapping[str, str], taints: tuple[Mapping[str, str], ...]) -> Loan:
    """Pods of a case get onto the node."""
    return Loan({**ownership.labels, IN_USE: "true", **labels}, (ownership.taint, *taints))


def lend(api: Api, name: str, loan: Loan) -> None:
    """Have this on the node, in place of what a run has put there before."""
    _edit(api, name, lambda node: _exchanged(node, loan))


def give_back(api: Api, name: str) -> None:
    """Take everything of a run off the node; a node that is gone has nothing on it."""
    try:
        set_gpus(api, name, None)
        _edit(api, name, lambda node: _exchanged(node, None))  # last of all: by its label the node is found
    except ApiError as error:
        if error.status != 404:
            raise


def set_gpus(api: Api, name: str, gpus: int | None) -> None:
    """Let the node have so many of muster's GPUs; None: nothing that is called like that.

    A kubelet admits a pod that asks for a resource which its node does not have at all, but not one that asks for more
    than it knows of. So an idle node has none instead of zero: a kubelet that learns of a change late still admits.
    """
    amount = {OWN_GPU: None if gpus is None else str(gpus)}
    api.patch(NODE, "", name, {"status": {"capacity": amount, "allocatable": amount}}, subresource="status")


def is_borrowed(node: Object) -> bool:
    return BORROWED in (node["metadata"].get("annotations") or {})


def _exchanged(node: Object, loan: Loan | None) -> Object:
    """The change that takes off what the node's annotation names, and puts the loan on."""
    former = json.loads((node["metadata"].get("annotations") or {}).get(BORROWED) or "{}")
    labels: dict[str, str | None] = dict.fromkeys(former.get("labels") or ())
    taints = [taint for taint in node["spec"].get("taints") or () if taint["key"] not in (former.get("taints") or ())]
    spec: dict[str, Any] = {"taints": [*taints, *(map(dict, loan.taints) if loan else ())] or None}
    if loan is not None and loan.cordoned:
        spec["unschedulable"] = True
    elif former.get("cordoned"):
        spec["unschedulable"] = None
    annotation = loan.note() if loan is not None else None
    added = dict(loan.labels) if loan is not None else {}
    return {"metadata": {"labels": {**labels, **added}, "annotations": {BORROWED: annotation}}, "spec": spec}


def _edit(api: Api, name: str, change: Callable[[Object], Object]) -> None:
    """Change a node as it is now: taints are a list, so a change by another client meanwhile must not be lost."""
    for _ in range(TRIES):
        node = api.get(NODE, "", name)
        patch = change(node)
        patch["metadata"]["resourceVersion"] = node["metadata"]["resourceVersion"]
        try:
            api.patch(NODE, "", name, patch)
            return
        except ApiError as error:
            if error.status != 409:
                raise
    raise HarnessError(f"node {name} changed again during every attempt of muster to change it")
