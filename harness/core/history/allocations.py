"""What a history keeps of volumes and devices: to whom they are given, and on which nodes they can be used.

A pod names PersistentVolumeClaims and ResourceClaims. A scheduler that binds the pod must have a volume and devices for
each of them, on the node that it chose. So a history has these objects, in the few fields that decide about a bind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.core.kinds import PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, RESOURCE_CLAIM, Kind

Object = Mapping[str, Any]
_BOUND = "pv.kubernetes.io/bind-completed"  # annotation of a claim that has its volume for good
EXCLUSIVE = "ReadWriteOncePod"  # the access mode of a volume that a single pod may use


def volume_state(volume: Object) -> dict[str, Any]:
    """A PersistentVolume: the claim that it is for, and the terms of its node affinity."""
    spec = volume.get("spec") or {}
    claim = spec.get("claimRef") or {}
    nodes = ((spec.get("nodeAffinity") or {}).get("required") or {}).get("nodeSelectorTerms")
    return _filled(claim=f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else "", nodes=nodes)


def volume_claim_state(claim: Object) -> dict[str, Any]:
    """A PersistentVolumeClaim: its volume once it is bound to it, and whether a single pod may use it."""
    meta, spec = claim.get("metadata") or {}, claim.get("spec") or {}
    bound = _BOUND in (meta.get("annotations") or {})
    return _filled(
        volume=spec.get("volumeName") if bound else "",
        exclusive=EXCLUSIVE in (spec.get("accessModes") or ()),
    )


def resource_claim_state(claim: Object) -> dict[str, Any]:
    """A ResourceClaim: its devices, the terms of the nodes on which they are, and the pods that may use them."""
    status = claim.get("status") or {}
    allocation = status.get("allocation")
    if allocation is None:
        return {}
    return {
        "devices": sorted(_devices(allocation)),
        **_filled(
            nodes=(allocation.get("nodeSelector") or {}).get("nodeSelectorTerms"),
            users=sorted(str(user.get("uid")) for user in status.get("reservedFor") or ()),
        ),
    }


def _devices(allocation: Object) -> Iterator[str]:
    """`driver/pool/device` for each device that belongs to this claim alone."""
    for result in (allocation.get("devices") or {}).get("results") or ():
        if not result.get("adminAccess") and not result.get("shareID"):
            yield f"{result['driver']}/{result['pool']}/{result['device']}"


def claims_of_pod(pod: Object) -> tuple[list[str], list[str]]:
    """The names of the PersistentVolumeClaims and of the ResourceClaims that a pod uses.

    A ResourceClaim that is made from a template has no name before it exists: it is `?` and its name in the pod.
    """
    meta, spec, status = pod.get("metadata") or {}, pod.get("spec") or {}, pod.get("status") or {}
    volumes = []
    for volume in spec.get("volumes") or ():
        if "persistentVolumeClaim" in volume:
            volumes.append(str(volume["persistentVolumeClaim"]["claimName"]))
        elif "ephemeral" in volume:
            volumes.append(f"{meta.get('name', '')}-{volume['name']}")
    names = {entry["name"]: entry.get("resourceClaimName") for entry in status.get("resourceClaimStatuses") or ()}
    devices = []
    for entry in spec.get("resourceClaims") or ():
        name = entry.get("resourceClaimName") or names.get(entry["name"], f"?{entry['name']}")
        devices += [str(name)] if name else []  # None: the template asks for nothing
    return volumes, devices


def _filled(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


KINDS: Mapping[Kind, Callable[[Object], dict[str, Any]]] = {
    PERSISTENT_VOLUME: volume_state,
    PERSISTENT_VOLUME_CLAIM: volume_claim_state,
    RESOURCE_CLAIM: resource_claim_state,
}
