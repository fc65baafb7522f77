"""Conditions: the state of an object from the view of a controller, written into the object's status.

A condition is written by server-side apply, which does not touch those of other controllers, and only if it changed:
writing in every reconcile would trigger the next reconcile, without end.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from harness.controllers.runtime.client import Client, Object
from harness.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition that a controller sets."""

    type: str
    holds: bool
    reason: str  # CamelCase
    message: str

    @property
    def status(self) -> str:
        return "True" if self.holds else "False"


def condition_of(obj: Object, condition_type: str) -> Object:
    """The condition of this type that an object has; empty if none."""
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((condition for condition in conditions if condition["type"] == condition_type), {})


def has(obj: Object, condition: Condition) -> bool:
    """Whether the object already has the condition with the same status, reason and message."""
    before = condition_of(obj, condition.type)
    return (before.get("status"), before.get("reason"), before.get("message")) == (
        condition.status,
        condition.reason,
        condition.message,
    )


def write(client: Client, kind: Kind, obj: Object, condition: Condition) -> None:
    """Write the condition into the object's status."""
    before = condition_of(obj, condition.type)
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    meta = obj["metadata"]
    entry = {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
        "lastTransitionTime": before["lastTransitionTime"] if before.get("status") == condition.status else now,
        "observedGeneration": meta.get("generation", 0),
    }
    identity = {"name": meta["name"], "namespace": meta["namespace"], "uid": meta["uid"]}
    applied = {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": identity,
        "status": {"conditions": [entry]},
    }
    client.apply(kind, applied, subresource="status")
