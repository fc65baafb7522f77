"""Conditions: how a controller says on the object itself how far it has come with it.

A condition is written by server-side apply, which leaves those of other controllers alone, and only when it says
something new: an object that is written every time it is looked at is looked at for ever.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from harness.controllers.client import Client, Kind, Object


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition, as it is to be."""

    type: str
    holds: bool
    reason: str  # CamelCase
    message: str

    @property
    def status(self) -> str:
        return "True" if self.holds else "False"


def find(obj: Object, kind: str) -> Object:
    """The condition of this type that an object has; empty if none."""
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one["type"] == kind), {})


def says(obj: Object, condition: Condition) -> bool:
    """Whether the object has the condition already, word for word."""
    before = find(obj, condition.type)
    return (before.get("status"), before.get("reason"), before.get("message")) == (
        condition.status, condition.reason, condition.message
    )  # fmt: skip


def write(client: Client, kind: Kind, obj: Object, condition: Condition) -> None:
    """Write the condition into the object's status."""
    before = find(obj, condition.type)
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    meta = obj["metadata"]
    entry = {
        "type": condition.type, "status": condition.status, "reason": condition.reason, "message": condition.message,
        "lastTransitionTime": before["lastTransitionTime"] if before.get("status") == condition.status else now,
        "observedGeneration": meta.get("generation", 0),
    }  # fmt: skip
    identity = {"name": meta["name"], "namespace": meta["namespace"], "uid": meta["uid"]}
    applied = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": identity,
               "status": {"conditions": [entry]}}  # fmt: skip
    client.apply(kind, applied, subresource="status")
