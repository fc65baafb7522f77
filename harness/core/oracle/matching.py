"""Do these labels, taints and ports go together? The rules of Kubernetes, each a pure function.

Selectors are as the API writes them; tolerations, taints and ports are the texts of docs/reference/history.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from harness.core.history.constraints import ANY_ADDRESS

Labels = Mapping[str, str]
KEEPING_OFF = ("NoSchedule", "NoExecute")  # effects of taints that decide about a bind
UNSCHEDULABLE = "node.kubernetes.io/unschedulable=:NoSchedule"  # what a cordoned node counts as


def selects(selector: Mapping[str, Any] | None, labels: Labels) -> bool:
    """Whether a label selector matches; none at all matches nothing, an empty one everything."""
    if selector is None:
        return False
    exact = (labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items())
    return all(exact) and _meets(selector.get("matchExpressions") or (), labels)


def admits(constraints: Mapping[str, Any], name: str, labels: Labels) -> bool:
    """Whether node selector and required node affinity of a pod allow the node of that name."""
    if any(labels.get(key) != value for key, value in (constraints.get("selector") or {}).items()):
        return False
    terms = constraints.get("nodes")
    return not terms or any(_term(term, name, labels) for term in terms)


def untolerated(tolerations: Sequence[str], taints: Iterable[str]) -> str:
    """The first taint that keeps a pod with these tolerations off; "" if there is none."""
    for taint in taints:
        rest, _, effect = taint.rpartition(":")
        key, _, value = rest.partition("=")
        if effect in KEEPING_OFF and not any(_tolerates(text, key, value, effect) for text in tolerations):
            return taint
    return ""


def clash(ports: Iterable[str], others: Iterable[str]) -> str:
    """The first of the host ports that one of the others takes, too; "" if there is none."""
    taken = [text.split("/") for text in others]
    for text in ports:
        protocol, address, number = text.split("/")
        for other_protocol, other_address, other_number in taken:
            same_address = address == other_address or ANY_ADDRESS in (address, other_address)
            if same_address and (protocol, number) == (other_protocol, other_number):
                return text
    return ""


def _term(term: Mapping[str, Any], name: str, labels: Labels) -> bool:
    """Whether a term of node affinity matches; one that says nothing matches no node."""
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    return bool(expressions or fields) and _meets(expressions, labels) and _meets(fields, {"metadata.name": name})


def _meets(expressions: Sequence[Mapping[str, Any]], labels: Labels) -> bool:
    """Whether all hold; an operator that is not known here is taken to hold, so that nobody is blamed for it."""
    return all(
        expression["operator"] not in _OPERATORS
        or _OPERATORS[expression["operator"]](labels.get(expression["key"]), expression.get("values") or ())
        for expression in expressions
    )


def _compared(value: str | None, bounds: Sequence[str], larger: bool) -> bool:
    try:
        difference = int(value or "") - int(bounds[0])
    except (ValueError, IndexError):
        return False
    return difference > 0 if larger else difference < 0


_OPERATORS: Mapping[str, Callable[[str | None, Sequence[str]], bool]] = {
    "In": lambda value, values: value is not None and value in values,
    "NotIn": lambda value, values: value is None or value not in values,
    "Exists": lambda value, values: value is not None,
    "DoesNotExist": lambda value, values: value is None,
    "Gt": lambda value, values: _compared(value, values, larger=True),
    "Lt": lambda value, values: _compared(value, values, larger=False),
}


def _tolerates(text: str, key: str, value: str, effect: str) -> bool:
    """Whether the toleration is about this taint; one that compares numbers is taken to be, as designs differ there."""
    rest, colon, wanted_effect = text.partition(":")
    if colon and wanted_effect != effect:
        return False
    wanted_key, equals, wanted_value = rest.partition("=")
    if equals:
        return (wanted_key, wanted_value) == (key, value)
    name, *compared = rest.replace("<", ">").split(">")
    return name == key or (name == "*" and not compared)
