"""What a pod demands of its node, in the compact form that a history keeps.

Only demands that decide whether a bind is right are kept: preferences, and what holds while a pod runs, are left out.
Selectors and terms stay as the API writes them, because people know them; tolerations and ports become short texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from harness.core.history.allocations import claims_of_pod

Object = Mapping[str, Any]
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
NAME_LABEL = "kubernetes.io/metadata.name"  # which the API server gives every namespace
ANY_ADDRESS = "0.0.0.0"  # the address of a host port that is taken on all addresses


def pod_constraints(pod: Object) -> dict[str, Any]:
    """The hard constraints of a pod; every key only if it has a value."""
    spec = pod.get("spec") or {}
    affinity = spec.get("affinity") or {}
    required = {kind: (affinity.get(kind) or {}).get(_REQUIRED) for kind in ("podAffinity", "podAntiAffinity")}
    nodes = ((affinity.get("nodeAffinity") or {}).get(_REQUIRED) or {}).get("nodeSelectorTerms")
    spread = [
        {name: value for name, value in constraint.items() if name != "whenUnsatisfiable"}
        for constraint in spec.get("topologySpreadConstraints") or ()
        if constraint.get("whenUnsatisfiable") == "DoNotSchedule"
    ]
    volumes, devices = claims_of_pod(pod)
    values = {
        "selector": spec.get("nodeSelector"),
        "nodes": nodes,
        "tolerations": [_toleration(toleration) for toleration in spec.get("tolerations") or ()],
        "near": required["podAffinity"],
        "apart": required["podAntiAffinity"],
        "spread": spread,
        "ports": sorted(_ports(spec)),
        "volumes": volumes,
        "devices": devices,
    }
    return {name: value for name, value in values.items() if value}


SHAPES: Mapping[str, type] = {
    "selector": dict,
    "nodes": list,
    "tolerations": list,
    "near": list,
    "apart": list,
    "spread": list,
    "ports": list,
    "volumes": list,
    "devices": list,
}
_TEXTS = ("tolerations", "ports", "volumes", "devices")


def malformed(constraints: Object) -> str:
    """The first key whose value is no constraint that a pod can have; "" if there is none."""
    for name, value in constraints.items():
        kind = SHAPES.get(name)
        if kind is None:
            continue  # of a newer muster
        texts = name in _TEXTS
        parts = value if kind is list and isinstance(value, list) else ()
        if not isinstance(value, kind) or any(not isinstance(part, str if texts else dict) for part in parts):
            return name
        if name == "ports" and any(part.count("/") != 2 for part in parts):
            return name
    return ""


def _toleration(toleration: Object) -> str:
    """`key=value:Effect`, `key:Effect` for any value, `key` for any effect, `*` for any key; `key>5` compares."""
    operator, value = toleration.get("operator") or "Equal", toleration.get("value") or ""
    text = str(toleration.get("key") or "*")
    if operator != "Exists":
        text += {"Gt": ">", "Lt": "<"}.get(operator, "=") + value
    effect = toleration.get("effect")
    return f"{text}:{effect}" if effect else text


def _ports(spec: Object) -> Iterable[str]:
    """`TCP/0.0.0.0/8080` for each port of the host that containers and sidecars take."""
    sidecars = [c for c in spec.get("initContainers") or () if c.get("restartPolicy") == "Always"]
    for container in (*(spec.get("containers") or ()), *sidecars):
        for port in container.get("ports") or ():
            if port.get("hostPort"):
                yield f"{port.get('protocol') or 'TCP'}/{port.get('hostIP') or ANY_ADDRESS}/{port['hostPort']}"
