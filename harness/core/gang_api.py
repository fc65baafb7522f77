"""Kubernetes' own gang API, scheduling.k8s.io, as one release of it is written.

The API changed its names with every minor: 1.35 has groups inside a Workload that pods point into, 1.36 and later have
PodGroup objects of their own. What differs is data, an entry of clusters/kubernetes.yaml; templates, adapters, cases
and controllers write objects with the words of the entry and compare no versions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.core.kinds import Kind

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class GangApi:
    """One release of the API. In `reference` and `origin` names in braces are filled in; an empty one is left out."""

    version: str  # scheduling.k8s.io/v1beta1
    kinds: tuple[str, ...]  # Workload, and PodGroup where a gang is an object of its own
    groups_field: str  # of a Workload's spec: the groups that it describes
    policy_field: str  # of such a group, and of a PodGroup's spec: how its pods are placed
    reference: Mapping[str, Any]  # in a pod's spec: {workload}, {template}, {group}, {replica}
    origin: Mapping[str, Any]  # in a PodGroup's spec, the entry of a Workload it is made from: {workload}, {template}
    disruption: Mapping[str, Any]  # disruptionMode of a PodGroup, by what a Gang calls it

    @property
    def has_group_objects(self) -> bool:
        return "PodGroup" in self.kinds

    @property
    def workload(self) -> Kind:
        return Kind(self.version, "Workload", "workloads")

    @property
    def pod_group(self) -> Kind:
        return Kind(self.version, "PodGroup", "podgroups")

    @property
    def group_kinds(self) -> tuple[Kind, ...]:
        """The kinds of all objects that describe a gang."""
        return tuple(kind for kind in (self.workload, self.pod_group) if kind.kind in self.kinds)

    @property
    def reference_field(self) -> str:
        """The field of a pod's spec that names its gang."""
        return next(iter(self.reference))

    def refer(self, workload: str, template: str, group: str, replica: str = "") -> Object:
        """What a pod's spec says about its gang."""
        filled: Object = _fill(
            self.reference, {"workload": workload, "template": template, "group": group, "replica": replica}
        )
        return filled

    def made_from(self, workload: str, template: str) -> Object:
        """What a PodGroup's spec says about the entry of a Workload that it is made from."""
        filled: Object = _fill(self.origin, {"workload": workload, "template": template})
        return filled

    def entry(self, name: str, policy: Mapping[str, Any]) -> Object:
        """A group as a Workload describes it."""
        return {"name": name, self.policy_field: dict(policy)}

    def minimum(self, obj: Mapping[str, Any]) -> int | None:
        """The quorum that a PodGroup, or the first group of a Workload, asks for; None if it is no gang."""
        spec = obj.get("spec") or {}
        described: Sequence[Any] = spec.get(self.groups_field) or [spec]
        return ((described[0].get(self.policy_field) or {}).get("gang") or {}).get("minCount")


def gang_policy(minimum: int) -> Object:
    """The policy of a group that starts with so many pods or not at all."""
    return {"gang": {"minCount": minimum}}


def _fill(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return value.format(**names)
    filled = {key: _fill(inner, names) for key, inner in value.items()}
    return {key: inner for key, inner in filled.items() if inner != ""}
