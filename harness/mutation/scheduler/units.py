"""What the reference scheduler reads from the API server: gangs and single pods, with the terms they ask for.

A gang is pods labelled `muster.dev/gang` and a ConfigMap with the same label, whose data are its terms: quorum, roles,
disruption, topology (its own or that of roles), timeout, total, style, other gangs to start with. Or it is pods alone,
which then say their minimum and other terms themselves.
"""

from __future__ import annotations

import json
import time
from calendar import timegm
from collections import Counter
from dataclasses import dataclass, field

from harness.box.api import Object

GANG, ROLE, PART = "muster.dev/gang", "muster.dev/role", "muster.dev/part"
MINIMUM = "muster.dev/min-available"  # annotation of a gang without an object
TERMS = "muster.dev/terms"  # annotation of a gang without an object: its other terms, as JSON
COMMUNITY = "pod-group.scheduling.sigs.k8s.io/min-available"  # label that says the same


@dataclass
class Unit:
    """A gang, or a single pod, which is a gang of one."""

    namespace: str
    name: str
    quorum: int = 1
    pending: list[Object] = field(default_factory=list)
    bound: list[Object] = field(default_factory=list)
    gated: list[Object] = field(default_factory=list)
    failed: list[Object] = field(default_factory=list)
    succeeded: list[Object] = field(default_factory=list)
    leaving: list[Object] = field(default_factory=list)  # being deleted
    group: Object | None = None
    terms: dict[str, str] = field(default_factory=dict)  # what the gang asks for beside its quorum

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def is_gang(self) -> bool:
        return bool(self.terms)

    @property
    def priority(self) -> int:
        return max((pod["spec"].get("priority") or 0 for pod in (*self.pending, *self.bound)), default=0)

    @property
    def at_quorum(self) -> bool:
        """Whether its quorum is bound: what is pending is surplus."""
        return len(self.bound) >= self.quorum

    @property
    def since(self) -> str:
        """A gang is as old as its declaration; one without an object is as old as its first member."""
        declared = [self.group] if self.group is not None else self.pending
        return min((str(obj["metadata"]["creationTimestamp"]) for obj in declared), default="")

    @property
    def whole(self) -> bool:
        """Whether preemption must take all of it or nothing."""
        return self.terms.get("disruption") == "gang"

    @property
    def role_topology(self) -> dict[str, str]:
        """The label of the domains of each role; empty if roles ask for none."""
        return dict(json.loads(self.terms.get("role-topology", "{}")))

    def is_late(self, wait_time: float | None) -> bool:
        """Whether its time, or else this wait time, is over and it has not started."""
        limit = float(self.terms["timeout"]) if "timeout" in self.terms else wait_time
        if limit is None or not self.is_gang or not self.pending or len(self.bound) >= self.quorum:
            return False
        first = min(str(pod["metadata"]["creationTimestamp"]) for pod in self.pending)
        return time.time() - timegm(time.strptime(first, "%Y-%m-%dT%H:%M:%SZ")) > limit

    def has_minima(self, more: list[Object]) -> bool:
        """Whether with these members bound each role has its minimum."""
        there = Counter(role_of(pod) for pod in (*self.bound, *more))
        return all(there[role] >= least for role, least in json.loads(self.terms.get("roles", "{}")).items())

    @property
    def surplus(self) -> list[Object]:
        """Bound members that it can do without."""
        minima = json.loads(self.terms.get("roles", "{}")) or {"": self.quorum}
        counts: Counter[str] = Counter()
        surplus = []
        for pod in self.bound:
            role = role_of(pod)
            counts[role] += 1
            if counts[role] > minima.get(role, 0):
                surplus.append(pod)
        return surplus


def read_units(pods: list[Object], groups: list[Object]) -> list[Unit]:
    """Every gang and single pod among these pods; members whose gang is declared nowhere, or no more, are left out."""
    declared = {(group["metadata"]["namespace"], _label(group, GANG)): group for group in groups}
    units: dict[tuple[str, str], Unit] = {}
    for pod in pods:
        if _label(pod, PART) == "placeholder":
            continue
        namespace, gang = pod["metadata"]["namespace"], _label(pod, GANG)
        group = declared.get((namespace, gang)) if gang else None
        terms = terms_of(pod, group)
        if gang and not terms:
            continue
        name = gang or pod["metadata"]["name"]
        unit = units.setdefault((namespace, name), Unit(namespace, name, int(terms.get("quorum", 1))))
        unit.group, unit.terms, unit.quorum = group, terms, max(unit.quorum, int(terms.get("quorum", 1)))
        _members(unit, pod).append(pod)
    return list(units.values())


def _members(unit: Unit, pod: Object) -> list[Object]:
    """The members of the unit that are in the same state as the pod."""
    if "deletionTimestamp" in pod["metadata"]:
        return unit.leaving
    ended = {"Failed": unit.failed, "Succeeded": unit.succeeded}.get(pod["status"].get("phase", ""))
    if ended is not None:
        return ended
    if pod["spec"].get("nodeName"):
        return unit.bound
    return unit.gated if pod["spec"].get("schedulingGates") else unit.pending


def terms_of(pod: Object, group: Object | None) -> dict[str, str]:
    """What its gang asks for; where pod and object differ the pod counts, and if it cannot be read nothing is asked."""
    alive = group is not None and "deletionTimestamp" not in group["metadata"]
    terms = dict((group or {}).get("data") or {}) if alive else {}
    annotations = pod["metadata"].get("annotations") or {}
    terms |= {term: str(value) for term, value in json.loads(annotations.get(TERMS, "{}")).items()}
    stated = annotations.get(MINIMUM) or _label(pod, COMMUNITY)
    if stated and not stated.isdigit():
        return {}
    return {**terms, "quorum": stated} if stated else terms


def role_of(pod: Object) -> str:
    return _label(pod, ROLE)


def of_role(pods: list[Object], role: str) -> list[Object]:
    return [pod for pod in pods if role_of(pod) == role]


def _label(obj: Object, name: str) -> str:
    return str((obj["metadata"].get("labels") or {}).get(name, ""))
