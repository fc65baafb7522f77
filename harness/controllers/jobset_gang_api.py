"""How the served release of scheduling.k8s.io writes down a plan.

v1alpha1 (Kubernetes 1.35)   a Workload with podGroups; pods name the Workload, the group and a replica key
v1alpha2 (1.36)              a Workload with podGroupTemplates and a PodGroup for each gang; pods name the PodGroup
v1beta1  (1.37)              the same with another reference from PodGroup to Workload
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.controllers.client import Client, Kind, Object
from harness.controllers.jobset_gang_plan import Group, Instance, Plan

API_GROUP = "scheduling.k8s.io"
VERSIONS = ("v1beta1", "v1alpha2", "v1alpha1")  # the newest first
JOBSET = Kind("jobset.x-k8s.io/v1alpha2", "JobSet", "jobsets")


@dataclass(frozen=True, slots=True)
class Dialect:
    """One release of the API."""

    version: str

    @property
    def workload(self) -> Kind:
        return Kind(f"{API_GROUP}/{self.version}", "Workload", "workloads")

    @property
    def pod_group(self) -> Kind:
        return Kind(f"{API_GROUP}/{self.version}", "PodGroup", "podgroups")

    @property
    def has_objects(self) -> bool:
        """Whether a gang is an object of its own."""
        return self.version != "v1alpha1"

    @property
    def reference_field(self) -> str:
        """The field of a pod's spec that names its gang."""
        return "schedulingGroup" if self.has_objects else "workloadRef"

    def reference(self, workload: str, instance: Instance) -> Object:
        """What the pods of a gang carry in that field."""
        if self.has_objects:
            return {"podGroupName": instance.name}
        key = {"podGroupReplicaKey": instance.key} if instance.key else {}
        return {"name": workload, "podGroup": instance.group, **key}

    def make_workload(self, jobset: Object, plan: Plan) -> Object:
        """The one Workload of a JobSet, which goes when the JobSet does."""
        meta = jobset["metadata"]
        entries = "podGroupTemplates" if self.has_objects else "podGroups"
        reference = {"apiGroup": JOBSET.api_version.partition("/")[0], "kind": JOBSET.kind, "name": meta["name"]}
        return {
            "apiVersion": self.workload.api_version, "kind": self.workload.kind,
            "metadata": {"name": plan.workload, "namespace": meta["namespace"], "ownerReferences": [owner(jobset)]},
            "spec": {"controllerRef": reference, entries: [self._entry(group) for group in plan.groups]},
        }  # fmt: skip

    def make_pod_group(self, jobset: Object, workload: Object, entry: Object, instance: Instance) -> Object:
        """The object of one gang, with everything that its entry in the Workload says."""
        name = workload["metadata"]["name"]
        points: Object = {"workloadRef": {"workloadName": name, "templateName": instance.group}}
        if self.version == "v1alpha2":
            target = {"workloadName": name, "podGroupTemplateName": instance.group}
            points = {"podGroupTemplateRef": {"workload": target}}
        meta = {"name": instance.name, "namespace": jobset["metadata"]["namespace"]}
        return {
            "apiVersion": self.pod_group.api_version, "kind": self.pod_group.kind,
            "metadata": {**meta, "ownerReferences": [owner(jobset)]},
            "spec": {**points, **{field: value for field, value in entry.items() if field != "name"}},
        }  # fmt: skip

    def entries(self, workload: Object) -> dict[str, Object]:
        """The groups that a Workload describes, by name."""
        spec = workload["spec"]
        found = spec.get("podGroupTemplates" if self.has_objects else "podGroups") or ()
        return {entry["name"]: entry for entry in found}

    def _entry(self, group: Group) -> Object:
        policy = {"gang": {"minCount": group.minimum}}
        if not self.has_objects:
            return {"name": group.name, "policy": policy}
        priority = {"priorityClassName": group.priority} if group.priority else {}
        return {"name": group.name, "schedulingPolicy": policy, **priority}


def served(client: Client) -> Dialect | None:
    """The release of the API that is served; None if gangs are switched off in this cluster."""
    offered = client.served_versions(API_GROUP)
    for version in VERSIONS:
        if version in offered:
            dialect = Dialect(version)
            resources = client.request("GET", f"/apis/{API_GROUP}/{version}")["resources"]
            if any(entry["name"] == dialect.workload.plural for entry in resources):
                return dialect
    return None


def owner(jobset: Object) -> Object:
    """The reference that makes an object the JobSet's own."""
    meta = jobset["metadata"]
    return {
        "apiVersion": JOBSET.api_version, "kind": JOBSET.kind, "name": meta["name"], "uid": meta["uid"],
        "controller": True, "blockOwnerDeletion": True,
    }  # fmt: skip


def points_to(workload: Object) -> str:
    """The JobSet that a Workload's controllerRef names; empty if it names none."""
    reference = (workload.get("spec") or {}).get("controllerRef") or {}
    same = reference.get("kind") == JOBSET.kind and reference.get("apiGroup") == JOBSET.api_version.partition("/")[0]
    return str(reference["name"]) if same else ""


def owner_of(obj: Object) -> Object:
    """The JobSet that an object belongs to, as a reference; empty if it belongs to none."""
    references = obj["metadata"].get("ownerReferences") or ()
    return next((one for one in references if one.get("controller") and one["kind"] == JOBSET.kind), {})
