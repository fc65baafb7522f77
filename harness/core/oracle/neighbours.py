"""May this pod be on this node, beside these pods? One question, asked of one view of the nodes, is one function.

Each returns in words why the answer is no, and "" for yes. Nothing here knows about time: `constraints.py` decides
which views a scheduler may have had.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from harness.core.oracle.incarnation import Pod
from harness.core.oracle.matching import UNSCHEDULABLE, Labels, admits, selects, untolerated

Terms = Mapping[str, Any]  # a term of affinity, a spread constraint, or all constraints of a pod


class Facts(NamedTuple):
    """What constraints look at in a node."""

    came: int  # the record in which it was first seen
    labels: Labels
    taints: tuple[str, ...]


class View(NamedTuple):
    """Nodes and namespaces at one moment."""

    nodes: Mapping[str, Facts]
    namespaces: Mapping[str, Labels]


def forbids(constraints: Terms, node: str, facts: Facts) -> str:
    """Why the node itself is none for a pod with these constraints."""
    if not admits(constraints, node, facts.labels):
        return "its node selector or required node affinity does not match"
    if taint := untolerated(constraints.get("tolerations") or (), facts.taints):
        return "the node is cordoned" if taint == UNSCHEDULABLE else f"it does not tolerate the taint {taint}"
    return ""


def means(pod: Pod, term: Terms, other: Pod, view: View) -> bool:
    """Whether a term of the pod's affinity or anti-affinity is about the other pod."""
    space = other.record.namespace
    named, selector = term.get("namespaces") or (), term.get("namespaceSelector")
    if named or selector is not None:
        inside = space in named or selects(selector, view.namespaces.get(space, {}))
    else:
        inside = space == pod.record.namespace
    return inside and selects(term.get("labelSelector"), labels_of(other))


def repelled(pod: Pod, node: str, other: Pod, others_node: str, view: View) -> str:
    """The topology key in which a term of the pod's anti-affinity excludes the other, if both are in one domain."""
    here, there = view.nodes.get(node), view.nodes.get(others_node)
    for term in demands(pod).get("apart") or () if here and there else ():
        key = str(term.get("topologyKey", ""))
        together = here and there and key in here.labels and here.labels[key] == there.labels.get(key)
        if together and means(pod, term, other, view):
            return key
    return ""


def lonely(pod: Pod, node: str, term: Terms, others: Sequence[Pod], view: View) -> str:
    """Why a term of required affinity does not hold: nothing that it means is in the node's domain.

    The first of a set of pods that ask for each other may go anywhere.
    """
    key = str(term.get("topologyKey", ""))
    domain = view.nodes[node].labels.get(key) if node in view.nodes else None
    meant = [other for other in others if other is not pod and means(pod, term, other, view)]
    there = {view.nodes[other.node].labels.get(key) for other in meant if other.node in view.nodes}
    if domain is not None and (domain in there or (not meant and means(pod, term, pod, view))):
        return ""
    return f"its affinity asks for a pod in the same {key or 'domain'}, and none that it means is there"


def uneven(pod: Pod, node: str, spread: Terms, neighbours: Sequence[Pod], others: Iterable[Pod], view: View) -> str:
    """Why a spread does not hold: the node's domain has more pods than the emptiest one and the skew allow.

    `neighbours` count in the domain of the node beside the pod itself, `others` in all domains for the smallest number.
    """
    key, most = str(spread.get("topologyKey", "")), int(spread.get("maxSkew", 1))
    domains = _domains(pod, spread, view)
    here = domains.get(node)
    if here is None:
        return f"it is to be spread over {key}, and the node is in no {key} that counts"
    count = int(_is_spread(pod, spread, pod))
    count += sum(domains.get(other.node) == here and _is_spread(pod, spread, other) for other in neighbours)
    loads = dict.fromkeys(domains.values(), 0)
    for other in others:
        if other.node in domains and _is_spread(pod, spread, other):
            loads[domains[other.node]] += 1
    loads[here] = max(loads[here], count)
    least = min(loads.values()) if len(loads) >= int(spread.get("minDomains") or 1) else 0
    if count - least <= most:
        return ""
    return f"its spread over {key} allows {most} more than elsewhere: {count} are in {here}, {least} elsewhere"


def demands(pod: Pod) -> Terms:
    """The pod's hard constraints."""
    return pod.record.state.get("constraints") or {}


def labels_of(pod: Pod) -> Labels:
    return pod.record.state.get("labels") or {}


def _domains(pod: Pod, spread: Terms, view: View) -> dict[str, str]:
    """The domain of each node over which the pod is to be spread."""
    constraints = demands(pod)
    keys = [str(term.get("topologyKey", "")) for term in constraints["spread"]]
    by_affinity = spread.get("nodeAffinityPolicy", "Honor") == "Honor"
    by_taints = spread.get("nodeTaintsPolicy", "Ignore") == "Honor"
    domains = {}
    for name, facts in view.nodes.items():
        if any(key not in facts.labels for key in keys):
            continue
        left_out = (by_affinity and not admits(constraints, name, facts.labels)) or (
            by_taints and untolerated(constraints.get("tolerations") or (), facts.taints)
        )
        if not left_out:
            domains[name] = facts.labels[str(spread.get("topologyKey", ""))]
    return domains


def _is_spread(pod: Pod, spread: Terms, other: Pod) -> bool:
    """Whether the other is one of the pods that are to be spread."""
    labels, pod_labels = labels_of(other), labels_of(pod)
    same = all(labels.get(key) == pod_labels[key] for key in spread.get("matchLabelKeys") or () if key in pod_labels)
    return same and other.record.namespace == pod.record.namespace and selects(spread.get("labelSelector"), labels)
