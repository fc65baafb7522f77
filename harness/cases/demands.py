"""What members demand of their nodes and of each other, as values for `alter`: each changes the spec of a pod."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.box.api import Object
from harness.cases.context import Alter
from harness.core.labels import GANG_LABEL

HOSTNAME = "kubernetes.io/hostname"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def only_nodes(key: str, operator: str, *values: str) -> Alter:
    """Required node affinity with one expression."""

    def alter(pod: Object) -> None:
        expression = {"key": key, "operator": operator, **({"values": list(values)} if values else {})}
        terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
        _affinity(pod)["nodeAffinity"] = {_REQUIRED: terms}

    return alter


def near(labels: Mapping[str, str], within: str) -> Alter:
    """Required affinity: in the same domain of this node label as a pod with these labels."""

    def alter(pod: Object) -> None:
        _affinity(pod)["podAffinity"] = {_REQUIRED: [_term(labels, within)]}

    return alter


def apart(labels: Mapping[str, str], within: str = HOSTNAME) -> Alter:
    """Required anti-affinity: in another domain of this node label than every pod with these labels."""

    def alter(pod: Object) -> None:
        _affinity(pod)["podAntiAffinity"] = {_REQUIRED: [_term(labels, within)]}

    return alter


def spread(gang: str, over: str, most: int = 1) -> Alter:
    """The members of this gang spread evenly over the domains of a node label, as a hard constraint."""

    def alter(pod: Object) -> None:
        selector = {"matchLabels": members_of(gang)}
        constraint = {"topologyKey": over, "maxSkew": most, "whenUnsatisfiable": "DoNotSchedule"}
        pod["spec"]["topologySpreadConstraints"] = [{**constraint, "labelSelector": selector}]

    return alter


def host_port(number: int) -> Alter:
    """A port of the host, which one pod of a node can have."""

    def alter(pod: Object) -> None:
        pod["spec"]["containers"][0]["ports"] = [{"containerPort": number, "hostPort": number}]

    return alter


def tolerates(key: str, value: str = "", effect: str = "NoSchedule") -> Alter:
    """A toleration of taints with this key, value and effect."""

    def alter(pod: Object) -> None:
        toleration = {"key": key, "operator": "Equal", "value": value, "effect": effect}
        pod["spec"].setdefault("tolerations", []).append(toleration)

    return alter


def labelled(**labels: str) -> Alter:
    """Further labels of the pod."""

    def alter(pod: Object) -> None:
        pod["metadata"].setdefault("labels", {}).update(labels)

    return alter


def all_of(*changes: Alter) -> Alter:
    """Several changes, one after another."""

    def alter(pod: Object) -> None:
        for change in changes:
            change(pod)

    return alter


def members_of(gang: str) -> dict[str, str]:
    """The labels of the members of a gang."""
    return {GANG_LABEL: gang}


def _affinity(pod: Object) -> dict[str, Any]:
    affinity: dict[str, Any] = pod["spec"].setdefault("affinity", {})
    return affinity


def _term(labels: Mapping[str, str], within: str) -> Object:
    return {"topologyKey": within, "labelSelector": {"matchLabels": dict(labels)}}
