"""Proof that a run has left everything else alone: what others have in the cluster, before and after.

Of every foreign object of these kinds the uid and a digest of what its owner has set are kept, and of pods the phase.
Others work in their cluster while a run is on, so a change is no proof of guilt; but it is reported, and that nothing
has changed is proof of innocence.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from harness.box.api import Api, Object
from harness.box.existing.ownership import RUN_LABEL
from harness.core.kinds import NODE, POD, Kind

WATCHED = (
    POD,
    NODE,
    Kind("v1", "ResourceQuota", "resourcequotas"),
    Kind("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", namespaced=False),
)
_DROPPED = ("resourceVersion", "managedFields", "generation", "creationTimestamp", "selfLink")


@dataclass(frozen=True, slots=True)
class Foreign:
    """What others have: "Kind namespace/name" -> uid, digest of what was set, and phase."""

    objects: Mapping[str, tuple[str, str, str]]

    def changes(self, later: Foreign) -> list[str]:
        """What is different later, in words."""
        texts = [f"{name} is gone" for name in self.objects if name not in later.objects]
        texts += [f"{name} is new" for name in later.objects if name not in self.objects]
        for name, (uid, digest, phase) in self.objects.items():
            if name not in later.objects:
                continue
            uid_later, digest_later, phase_later = later.objects[name]
            if uid != uid_later:
                texts.append(f"{name} was deleted and made again")
            elif digest != digest_later:
                texts.append(f"{name} has another spec")
            elif phase != phase_later:
                texts.append(f"{name} was {phase or 'without a phase'} and is {phase_later or 'without a phase'}")
        return sorted(texts)


def look(api: Api) -> Foreign:
    """What others have now; pods that stand on nodes of a run are there because of it, and do not count."""
    nodes = {node["metadata"]["name"] for node in api.list(NODE, labelSelector=RUN_LABEL)}
    objects: dict[str, tuple[str, str, str]] = {}
    for kind in WATCHED:
        for obj in api.list(kind, labelSelector=f"!{RUN_LABEL}"):
            meta = obj["metadata"]
            if kind is POD and obj["spec"].get("nodeName") in nodes:
                continue
            name = f"{kind.kind} {meta.get('namespace', '')}/{meta['name']}".replace(" /", " ")
            objects[name] = (meta["uid"], _digest(obj), str((obj.get("status") or {}).get("phase", "")))
    return Foreign(objects)


def _digest(obj: Object) -> str:
    meta = {key: value for key, value in obj["metadata"].items() if key not in _DROPPED}
    meta.pop("annotations", None)  # kubelets and controllers write their notes there all the time
    body = {key: value for key, value in obj.items() if key not in ("metadata", "status")}
    return hashlib.sha256(json.dumps([meta, body], sort_keys=True).encode()).hexdigest()
