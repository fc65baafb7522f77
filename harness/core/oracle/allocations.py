"""Has a pod its volumes and devices where it is bound? What constraints know of claims.

A scheduler gives volumes and devices to claims before it binds the pod that uses them, so at the bind all of it is
committed. What a history never showed of a claim is not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf
from typing import Any

from harness.core.history.records import Record, gang_key
from harness.core.oracle.incarnation import Pod
from harness.core.oracle.matching import Labels, admits
from harness.core.oracle.neighbours import demands

State = Mapping[str, Any]


class Allocations:
    """Volumes, their claims and the claims of devices after the latest record."""

    __slots__ = ("_devices", "_volume_claims", "_volumes")

    def __init__(self) -> None:
        self._volumes: dict[str, State] = {}  # by name
        self._volume_claims: dict[str, State | None] = {}  # by namespace/name; None: it is gone
        self._devices: dict[str, State | None] = {}  # the claims of devices, in the same way

    def volume(self, record: Record) -> None:
        self._volumes[record.name] = record.state

    def volume_claim(self, record: Record) -> None:
        self._volume_claims[gang_key(record.namespace, record.name)] = _existing(record)

    def resource_claim(self, record: Record) -> None:
        self._devices[gang_key(record.namespace, record.name)] = _existing(record)

    def missing(self, pod: Pod, node: str, labels: Labels, standing: Iterable[Pod]) -> Iterator[tuple[str, float]]:
        """Why the pod cannot have on this node what it claims, and until when its scheduler may not have known."""
        for name in demands(pod).get("volumes") or ():
            yield from self._volume(pod, name, node, labels, standing)
        for name in demands(pod).get("devices") or ():
            if why := self._claim(pod, name, node, labels):
                yield why, -inf

    def _volume(
        self, pod: Pod, name: str, node: str, labels: Labels, standing: Iterable[Pod]
    ) -> Iterator[tuple[str, float]]:
        key = gang_key(pod.record.namespace, name)
        if key not in self._volume_claims:
            return
        claim = self._volume_claims[key]
        if claim is None or not claim.get("volume"):
            yield f"its volume claim {name} has no volume", -inf
            return
        volume = self._volumes.get(claim["volume"], {})
        if not admits(volume, node, labels):
            yield f"the volume {claim['volume']} of its claim {name} cannot be used there", -inf
        if claim.get("exclusive"):
            for other in standing:
                if other is not pod and _shares(other, pod, name):
                    yield f"{other.name} uses the volume claim {name}, which is for one pod", other.came_unseen(pod)

    def _claim(self, pod: Pod, name: str, node: str, labels: Labels) -> str:
        key = gang_key(pod.record.namespace, name)
        if name.startswith("?"):
            return f"its claim of devices {name[1:]} was never made"
        if key not in self._devices:
            return ""
        claim = self._devices[key]
        if claim is None or "devices" not in claim:
            return f"its claim of devices {name} was not allocated"
        if not admits(claim, node, labels):
            return f"the devices of its claim {name} are on another node"
        if pod.uid not in (claim.get("users") or ()):
            return f"its claim of devices {name} was not reserved for it"
        for other, state in self._devices.items():
            if other != key and state and (both := set(state.get("devices") or ()) & set(claim["devices"])):
                return f"the device {min(both)} of its claim {name} was also given to {other}"
        return ""


def _existing(record: Record) -> State | None:
    return None if record.verb == "deleted" else record.state


def _shares(other: Pod, pod: Pod, claim: str) -> bool:
    return other.record.namespace == pod.record.namespace and claim in (demands(other).get("volumes") or ())
