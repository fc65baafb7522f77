"""Which pod may go to which node: the rules of Kubernetes, as the reference scheduler keeps them, one function each.

They are separate and have names, because a mutation of the reference ignores just one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from harness.box.api import Object
from harness.core.history.constraints import NAME_LABEL
from harness.core.history.observe import pod_request
from harness.core.oracle.matching import admits, clash, selects, untolerated
from harness.mutation.scheduler.room import Room


def fits(space: Room, pod: Object, name: str, ignored: Collection[str] = ()) -> bool:
    """Whether every filter lets the pod onto the node, but for those that are ignored."""
    return all(lets_in(space, pod, name) for label, lets_in in FILTERS.items() if label not in ignored)


def _selected(space: Room, pod: Object, name: str) -> bool:
    labels, selector = space.labels(name), pod["spec"].get("nodeSelector") or {}
    return all(labels.get(key) == value for key, value in selector.items())


def _admitted(space: Room, pod: Object, name: str) -> bool:
    nodes = space.demands(pod).get("nodes")
    return not nodes or admits({"nodes": nodes}, name, space.labels(name))


def _tolerated(space: Room, pod: Object, name: str) -> bool:
    return not untolerated(space.demands(pod).get("tolerations") or (), space.facts[name].get("taints") or ())


def _in_company(space: Room, pod: Object, name: str) -> bool:
    """Affinity: somebody whom the pod asks for is near; the first of pods that ask for each other may go anywhere."""
    for term in space.demands(pod).get("near") or ():
        company = [node for other, node in space.everyone() if _means(pod, term, other)]
        key = term["topologyKey"]
        alone = not company and _means(pod, term, pod) and key in space.labels(name)
        if not alone and not any(_together(space, name, node, key) for node in company):
            return False
    return True


def _keeps_away(space: Room, pod: Object, name: str) -> bool:
    """Anti-affinity of the pod itself."""
    terms = space.demands(pod).get("apart") or ()
    return not terms or not any(_excludes(space, pod, name, other, node) for other, node in space.everyone())


def _is_let_in(space: Room, pod: Object, name: str) -> bool:
    """Anti-affinity of those that are there."""
    return not any(_excludes(space, other, node, pod, name) for other, node in space.everyone())


def _spread(space: Room, pod: Object, name: str) -> bool:
    """No domain has more of the pods that are to be spread than the emptiest one and the skew allow."""
    return all(_is_even(space, pod, name, term) for term in space.demands(pod).get("spread") or ())


def _has_ports(space: Room, pod: Object, name: str) -> bool:
    ports = space.demands(pod).get("ports") or ()
    taken = (port for other in space.there[name] for port in space.demands(other).get("ports") or ())
    return not ports or not clash(ports, taken)


def _has_volumes(space: Room, pod: Object, name: str) -> bool:
    return space.claims.volumes_for(pod, name, space.labels(name)) is not None


def _is_only_user(space: Room, pod: Object, name: str) -> bool:
    return space.claims.is_only_user(pod)


def _has_devices(space: Room, pod: Object, name: str) -> bool:
    return space.claims.devices_for(pod, name, space.labels(name)) is not None


def _allowed(space: Room, pod: Object, name: str) -> bool:
    allowed = space.left(pod)
    return all(amount <= allowed.get(resource, amount) for resource, amount in pod_request(pod["spec"]).items())


def _has_room(space: Room, pod: Object, name: str) -> bool:
    request = {**pod_request(pod["spec"]), "pods": 1000}
    return all(space.free[name].get(resource, 0) >= amount for resource, amount in request.items())


FILTERS: Mapping[str, Callable[[Room, Object, str], bool]] = {
    "selectors": _selected,
    "node-affinity": _admitted,
    "taints": _tolerated,
    "affinity": _in_company,
    "anti-affinity": _keeps_away,
    "anti-affinity-of-others": _is_let_in,
    "spread": _spread,
    "ports": _has_ports,
    "volumes": _has_volumes,
    "volumes-for-one-pod": _is_only_user,
    "devices": _has_devices,
    "queue": _allowed,
    "room": _has_room,
}


# -- pods around the pod -----------------------------------------------------------------------------------------------


def _means(pod: Object, term: Object, other: Object) -> bool:
    """Whether a term of the pod's affinity or anti-affinity is about the other pod."""
    space = other["metadata"]["namespace"]
    named, selector = term.get("namespaces") or (), term.get("namespaceSelector")
    if named or selector is not None:
        inside = space in named or selects(selector, {NAME_LABEL: space})
    else:
        inside = space == pod["metadata"]["namespace"]
    return inside and selects(term.get("labelSelector"), other["metadata"].get("labels") or {})


def _together(space: Room, name: str, other: str, key: str) -> bool:
    value = space.labels(name).get(key)
    return value is not None and value == space.labels(other).get(key)


def _excludes(space: Room, pod: Object, name: str, other: Object, node: str) -> bool:
    """Whether the pod on the one node refuses the other on the other."""
    terms = space.demands(pod).get("apart") or ()
    return any(_together(space, name, node, term["topologyKey"]) and _means(pod, term, other) for term in terms)


def _is_even(space: Room, pod: Object, name: str, term: Object) -> bool:
    domains = dict(_domains(space, pod, term))
    if name not in domains:
        return False
    loads = dict.fromkeys(domains.values(), 0)
    for other, node in space.everyone():
        if node in domains and _is_spread(pod, term, other):
            loads[domains[node]] += 1
    least = min(loads.values()) if len(loads) >= int(term.get("minDomains") or 1) else 0
    return loads[domains[name]] + int(_is_spread(pod, term, pod)) - least <= int(term["maxSkew"])


def _is_spread(pod: Object, term: Object, other: Object) -> bool:
    meta = other["metadata"]
    if meta["namespace"] != pod["metadata"]["namespace"] or (other is not pod and "deletionTimestamp" in meta):
        return False
    return selects(term.get("labelSelector"), meta.get("labels") or {})


def _domains(space: Room, pod: Object, term: Object) -> Iterator[tuple[str, str]]:
    """The domain of each node over which the pod is to be spread."""
    demands = space.demands(pod)
    keys = [other["topologyKey"] for other in demands["spread"]]
    for name, facts in space.facts.items():
        labels = space.labels(name)
        admitted = term.get("nodeAffinityPolicy") == "Ignore" or admits(demands, name, labels)
        taints = facts.get("taints") or () if term.get("nodeTaintsPolicy") == "Honor" else ()
        tolerated = not untolerated(demands.get("tolerations") or (), taints)
        if admitted and tolerated and all(key in labels for key in keys):
            yield name, labels[term["topologyKey"]]
