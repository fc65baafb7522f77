"""The law of hard constraints once more, as slowly and plainly as it can be written.

Nothing here is shared with the check. For every bind all nodes and pods are made again from the records, for the moment
of the bind and for every earlier moment that the scheduler may still have had before its eyes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

from harness.core.history.records import Record
from harness.core.second.facts import Facts
from harness.core.second.laws import binds, knew

State = dict[str, Any]


def judge_bind(facts: Facts, i: int) -> str:
    """Of record i, which binds a pod: `wrong`, `open` (it cannot be told), or "" if nothing is wrong with it."""
    record = facts.history.records[i]
    if "constraints" not in record.state:
        return ""
    name, now, nodes = record.state["node"], facts.clock[i], nodes_before(facts, i)
    if name not in nodes:
        return ""
    if not right_node(record, name, nodes[name]):
        created = course(facts, record)[0]
        moments = [n for n in changes_of_nodes(facts, i) if recent(facts, facts.clock[n], now)]
        unseen = [n for n in moments if not knew(facts, i, n, created)]
        earlier = [nodes_before(facts, n) for n in unseen if facts.history.records[n].name == name]
        if not any(name in view and right_node(record, name, view[name]) for view in earlier):
            return "wrong"
    if lacks(facts, i, name, nodes[name]):
        return "wrong"
    if not asks(record) and not any(asks(other) for other in pods_after(facts, i)):
        return ""
    born = course(facts, record)[0]
    relabelled = any(n > born and recent(facts, facts.clock[n], now) for n in label_changes(facts, i))
    if relabelled:
        return ""
    if any(not is_news(facts, i, other) for other in enemies(facts, i, nodes)):
        return "wrong"
    return demands_met(facts, i) if record.state["constraints"].keys() & {"near", "spread"} else ""


def demands_met(facts: Facts, i: int) -> str:
    """Whether affinity and spread of the pod held in a view of nodes that its scheduler may have had."""
    record, now = facts.history.records[i], facts.clock[i]
    born, newest = course(facts, record)[0], known_up_to(facts, i, record.state.get("scheduler", ""))
    moments = [n for n in changes_of_nodes(facts, i) if n > newest and recent(facts, facts.clock[n], now)]
    views = [nodes_before(facts, i), *(nodes_before(facts, n) for n in moments)]
    gone = [p for p, n in ended_before(facts, i) if n > born and recent(facts, facts.clock[n], now)]

    def is_near(term: State, j: int) -> bool:
        return any(near(facts, i, j, view, term, gone) for view in views)

    def is_even(term: State, j: int) -> bool:
        return any(even(facts, i, j, view, term, gone) for view in views)

    rules = record.state["constraints"]
    answers = [met_in_time(facts, i, partial(is_near, term)) for term in rules.get("near", [])]
    answers += [met_in_time(facts, i, partial(is_even, term)) for term in rules.get("spread", [])]
    return "wrong" if "wrong" in answers else "open" if "open" in answers else ""


def asks(pod: Record) -> bool:
    """Whether the pod demands anything that depends on other pods."""
    return bool((pod.state.get("constraints") or {}).keys() & {"near", "apart", "spread", "ports"})


# -- volumes and devices


def lacks(facts: Facts, i: int, node: str, state: State) -> bool:
    """Whether the pod that record i binds is without a volume or a device that it claims."""
    pod, labels = facts.history.records[i], state.get("labels") or {}
    rules = pod.state["constraints"]
    claims, volumes = latest_of(facts, i, "PersistentVolumeClaim"), latest_of(facts, i, "PersistentVolume")
    for name in rules.get("volumes", []):
        claim = claims.get((pod.namespace, name))
        if claim is None:
            continue
        volume = claim.state.get("volume") if claim.verb != "deleted" else None
        if not volume:
            return True
        record = volumes.get(("", volume))
        if record is not None and not selected(dict(record.state), node, labels):
            return True
        if claim.state.get("exclusive") and any(
            not is_news(facts, i, other)
            for other in pods_after(facts, i)
            if other.uid != pod.uid and other.namespace == pod.namespace
            if name in (other.state.get("constraints") or {}).get("volumes", [])
        ):
            return True
    allocations = latest_of(facts, i, "ResourceClaim")
    return any(not_given(pod, name, node, labels, allocations) for name in rules.get("devices", []))


def not_given(pod: Record, name: str, node: str, labels: State, allocations: dict[tuple[str, str], Record]) -> bool:
    """Whether the devices of a claim are not the pod's own on this node."""
    if name[0] == "?":
        return True
    claim = allocations.get((pod.namespace, name))
    if claim is None:
        return False
    mine = claim.state.get("devices") if claim.verb != "deleted" else None
    if mine is None or pod.uid not in claim.state.get("users", []) or not selected(dict(claim.state), node, labels):
        return True
    others = [
        record for key, record in allocations.items() if key != (pod.namespace, name) and record.verb != "deleted"
    ]
    return any(device in record.state.get("devices", []) for record in others for device in mine)


def latest_of(facts: Facts, i: int, kind: str) -> dict[tuple[str, str], Record]:
    """The latest record of each object of a kind before record i, by namespace and name."""
    return {(record.namespace, record.name): record for record in facts.history.records[:i] if record.kind == kind}


# -- pods and nodes at a moment


def course(facts: Facts, pod: Record) -> tuple[int, ...]:
    """The positions of all records of the pod."""
    return facts.courses[pod.uid or f"{pod.namespace}/{pod.name}"].places


def stands(record: Record) -> bool:
    return (
        "node" in record.state and record.verb != "deleted" and record.state.get("phase") not in ("Succeeded", "Failed")
    )


def pods_after(facts: Facts, i: int) -> list[Record]:
    """The latest record of every pod that stands after record i."""
    latest = [facts.state(pod, i) for pod in facts.courses.values()]
    return [record for record in latest if record is not None and stands(record)]


def nodes_before(facts: Facts, i: int) -> dict[str, State]:
    latest: dict[str, Record] = {}
    for record in facts.history.records[:i]:
        if record.kind == "Node":
            latest[record.name] = record
    return {name: dict(record.state) for name, record in latest.items() if record.verb != "deleted"}


def changes_of_nodes(facts: Facts, i: int) -> list[int]:
    """The positions before i at which a node came, went, or became another one for pods."""

    def looks(state: State | None) -> object:
        if state is None:
            return None
        return (state.get("labels") or {}, state.get("taints") or [], bool(state.get("unschedulable")))

    places = [n for n in range(i) if facts.history.records[n].kind == "Node"]
    return [
        n
        for n in places
        if looks(nodes_before(facts, n).get(facts.history.records[n].name))
        != looks(nodes_before(facts, n + 1).get(facts.history.records[n].name))
    ]


def label_changes(facts: Facts, i: int) -> list[int]:
    """Where the labels of a pod changed that stood before."""
    records = facts.history.records
    return [
        after
        for pod in facts.courses.values()
        for before, after in pairwise(pod.places)
        if after < i and stands(records[before])
        if records[before].state.get("labels") != records[after].state.get("labels")
    ]


def ended_before(facts: Facts, i: int) -> list[tuple[Record, int]]:
    """Pods that stood once and do not any more, as they are now, with the position of their end."""
    records = facts.history.records
    return [
        (records[max(n for n in pod.places if n < i)], after)
        for pod in facts.courses.values()
        for before, after in pairwise(pod.places)
        if after < i and stands(records[before]) and not stands(records[after])
    ]


def recent(facts: Facts, then: float, now: float) -> bool:
    return now <= facts.patience(then, facts.deadline("window"))


def known_up_to(facts: Facts, i: int, scheduler: str) -> int:
    """The latest moment at which a node came that this scheduler has used."""
    newest = -1
    for n in binds(facts):
        record = facts.history.records[n]
        if n > i or record.state.get("scheduler", "") != scheduler or "constraints" not in record.state:
            continue
        name = record.state["node"]
        if name in nodes_before(facts, n):
            places = [m for m in range(n) if facts.history.records[m].name == name]
            came = [m for m in places if name not in nodes_before(facts, m) and name in nodes_before(facts, m + 1)]
            newest = max(newest, came[-1])
    return newest


def is_news(facts: Facts, i: int, other: Record) -> bool:
    """Whether the other pod came to its node by somebody else, just now, and after this one was created."""
    records = facts.history.records
    arrival = min(n for n in course(facts, other) if "node" in records[n].state)
    same = other.state.get("scheduler") == records[i].state.get("scheduler") and arrival != course(facts, other)[0]
    since_creation = arrival > course(facts, records[i])[0]
    return not same and since_creation and recent(facts, facts.clock[arrival], facts.clock[i])


# -- the rules


def right_node(pod: Record, name: str, node: State) -> bool:
    rules, labels = pod.state["constraints"], node.get("labels") or {}
    if not selected(rules, name, labels):
        return False
    taints = list(node.get("taints") or [])
    if node.get("unschedulable"):
        taints.append("node.kubernetes.io/unschedulable=:NoSchedule")
    return not bad_taints(rules.get("tolerations", []), taints)


def selected(rules: State, name: str, labels: State) -> bool:
    is_selected = {key: labels.get(key) for key in rules.get("selector", {})} == rules.get("selector", {})
    terms = rules.get("nodes", [])
    return is_selected and (not terms or any(term_holds(term, name, labels) for term in terms))


def term_holds(term: State, name: str, labels: State) -> bool:
    about_labels, about_fields = term.get("matchExpressions", []), term.get("matchFields", [])
    if about_labels == [] and about_fields == []:
        return False
    return holds(about_labels, labels) and holds(about_fields, {"metadata.name": name})


def holds(expressions: list[State], labels: State) -> bool:
    for expression in expressions:
        operator, key, values = expression["operator"], expression["key"], expression.get("values", [])
        if operator == "In" and not (key in labels and labels[key] in values):
            return False
        if operator == "NotIn" and key in labels and labels[key] in values:
            return False
        if operator == "Exists" and key not in labels:
            return False
        if operator == "DoesNotExist" and key in labels:
            return False
        if operator == "Gt" and not (key in labels and labels[key].isdigit() and int(labels[key]) > int(values[0])):
            return False
        if operator == "Lt" and not (key in labels and labels[key].isdigit() and int(labels[key]) < int(values[0])):
            return False
    return True


def label_selector_holds(selector: State | None, labels: State) -> bool:
    if selector is None:
        return False
    pairs = [{"key": k, "operator": "In", "values": [v]} for k, v in selector.get("matchLabels", {}).items()]
    return holds([*pairs, *selector.get("matchExpressions", [])], labels)


def bad_taints(tolerations: list[str], taints: list[str]) -> list[str]:
    bad = []
    for taint in taints:
        pair, effect = taint.rsplit(":", 1)
        key = pair.split("=")[0]
        forms = {"*", f"*:{effect}", key, f"{key}:{effect}", pair, f"{pair}:{effect}"}
        if effect != "PreferNoSchedule" and not forms & set(tolerations):
            bad.append(taint)
    return bad


def enemies(facts: Facts, i: int, nodes: dict[str, State]) -> list[Record]:
    """The pods beside which the pod of record i must not be."""
    pod = facts.history.records[i]
    return [
        other
        for other in pods_after(facts, i)
        if other.uid != pod.uid
        and (excludes(facts, pod, other, nodes) or excludes(facts, other, pod, nodes) or same_port(pod, other))
    ]


def same_port(pod: Record, other: Record) -> bool:
    mine, theirs = pod.state["constraints"].get("ports", []), (other.state.get("constraints") or {}).get("ports", [])
    pairs = [(first.split("/"), second.split("/")) for first in mine for second in theirs]
    same = [a for a, b in pairs if (a[0], a[2]) == (b[0], b[2]) and (a[1] == b[1] or "0.0.0.0" in (a[1], b[1]))]
    return pod.state["node"] == other.state["node"] and bool(same)


def excludes(facts: Facts, pod: Record, other: Record, nodes: dict[str, State]) -> bool:
    for term in (pod.state.get("constraints") or {}).get("apart", []):
        if about(facts, pod, term, other) and same_domain(
            nodes, pod.state["node"], other.state["node"], term["topologyKey"]
        ):
            return True
    return False


def about(facts: Facts, pod: Record, term: State, other: Record) -> bool:
    here = pod.namespace == other.namespace
    if "namespaces" in term or "namespaceSelector" in term:
        spaces = {r.name: r.state.get("labels") or {} for r in facts.history.records if r.kind == "Namespace"}
        labels = {**spaces.get(other.namespace, {}), "kubernetes.io/metadata.name": other.namespace}
        by_label = label_selector_holds(term.get("namespaceSelector"), labels)
        here = other.namespace in (term.get("namespaces") or []) or by_label
    return here and label_selector_holds(term.get("labelSelector"), other.state.get("labels") or {})


def same_domain(nodes: dict[str, State], first: str, second: str, key: str) -> bool:
    if first not in nodes or second not in nodes:
        return False
    values = [(nodes[name].get("labels") or {}).get(key) for name in (first, second)]
    return values[0] is not None and values[0] == values[1]


def met_in_time(facts: Facts, i: int, holds_at: Callable[[int], bool]) -> str:
    """Whether the demand of the pod of record i held at its bind, or with a bind that followed soon enough."""
    until = facts.patience(facts.clock[i], facts.deadline("window"))
    records = facts.history.records
    for j in range(i, len(records)):
        if j > i and facts.clock[j] > until:
            return "wrong"
        mine = records[max(n for n in course(facts, records[i]) if n <= j)]
        if not stands(mine) or mine.state.get("deleting"):
            return ""
        came = stands(records[j]) and all(other.uid != records[j].uid for other in pods_after(facts, j - 1))
        if (j == i or came) and holds_at(j):
            return ""
    return "open"


def near(facts: Facts, i: int, j: int, nodes: dict[str, State], term: State, gone: list[Record]) -> bool:
    pod = facts.history.records[i]
    there = [other for other in pods_after(facts, j) if other.uid != pod.uid]
    meant = [other for other in (*there, *gone) if about(facts, pod, term, other)]
    key = term["topologyKey"]
    if not same_domain(nodes, pod.state["node"], pod.state["node"], key):
        return False
    if not meant:
        return about(facts, pod, term, pod)
    return any(same_domain(nodes, pod.state["node"], other.state["node"], key) for other in meant)


def even(facts: Facts, i: int, j: int, nodes: dict[str, State], term: State, gone: list[Record]) -> bool:
    pod = facts.history.records[i]
    rules, key = pod.state["constraints"], term["topologyKey"]
    usable = {
        name: (node.get("labels") or {})[key]
        for name, node in nodes.items()
        if all(other["topologyKey"] in (node.get("labels") or {}) for other in rules["spread"])
        and (term.get("nodeAffinityPolicy") == "Ignore" or selected(rules, name, node.get("labels") or {}))
        and (term.get("nodeTaintsPolicy") != "Honor" or right_taints(rules, node))
    }
    if pod.state["node"] not in usable:
        return False
    domain = usable[pod.state["node"]]

    def counts(other: Record) -> bool:
        labels, mine = other.state.get("labels") or {}, pod.state.get("labels") or {}
        if other.namespace != pod.namespace:
            return False
        if any(key in mine and labels.get(key) != mine[key] for key in term.get("matchLabelKeys", [])):
            return False
        return label_selector_holds(term.get("labelSelector"), labels)

    beside = [
        other
        for other in pods_after(facts, i)
        if other.uid != pod.uid and usable.get(other.state["node"]) == domain and counts(other)
    ]
    here = sum(1 for other in beside if not other.state.get("deleting") and not is_news(facts, i, other))
    here += 1 if counts(pod) else 0
    numbers = []
    for value in set(usable.values()):
        inside = [other for other in (*pods_after(facts, j), *gone) if usable.get(other.state["node"]) == value]
        number = sum(1 for other in inside if counts(other))
        numbers.append(max(number, here) if value == domain else number)
    fewest = min(numbers) if len(numbers) >= term.get("minDomains", 1) else 0
    return here - fewest <= int(term["maxSkew"])


def right_taints(rules: State, node: State) -> bool:
    taints = list(node.get("taints") or [])
    if node.get("unschedulable"):
        taints.append("node.kubernetes.io/unschedulable=:NoSchedule")
    return not bad_taints(rules.get("tolerations", []), taints)
