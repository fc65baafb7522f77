"""How the served release of scheduling.k8s.io writes down a plan; what differs is in clusters/kubernetes.yaml."""

from __future__ import annotations

from dataclasses import dataclass

from harness.box.minor import gang_apis
from harness.controllers.jobset_gang.plan import GangPlan, Instance, PlannedGroup
from harness.controllers.runtime.client import Client, Object
from harness.core.gang_api import GangApi, gang_policy
from harness.core.kinds import JOBSET, Kind


@dataclass(frozen=True, slots=True)
class Dialect:
    """A plan in the words of one release of the API."""

    api: GangApi

    @property
    def workload(self) -> Kind:
        return self.api.workload

    @property
    def pod_group(self) -> Kind:
        return self.api.pod_group

    def reference(self, workload: str, instance: Instance) -> Object:
        """What the pods of a gang carry in the field that names it."""
        value: Object = self.api.refer(workload, instance.group, instance.name, instance.key)[self.api.reference_field]
        return value

    def make_workload(self, jobset: Object, plan: GangPlan) -> Object:
        """The one Workload of a JobSet, which goes when the JobSet does."""
        meta = jobset["metadata"]
        reference = {"apiGroup": JOBSET.api_version.partition("/")[0], "kind": JOBSET.kind, "name": meta["name"]}
        return {
            "apiVersion": self.workload.api_version,
            "kind": self.workload.kind,
            "metadata": {"name": plan.workload, "namespace": meta["namespace"], "ownerReferences": [owner(jobset)]},
            "spec": {"controllerRef": reference, self.api.groups_field: [self._entry(group) for group in plan.groups]},
        }

    def make_pod_group(self, jobset: Object, workload: Object, entry: Object, instance: Instance) -> Object:
        """The object of one gang, with everything that its entry in the Workload says."""
        origin = self.api.made_from(workload["metadata"]["name"], instance.group)
        meta = {"name": instance.name, "namespace": jobset["metadata"]["namespace"]}
        return {
            "apiVersion": self.pod_group.api_version,
            "kind": self.pod_group.kind,
            "metadata": {**meta, "ownerReferences": [owner(jobset)]},
            "spec": {**origin, **{field: value for field, value in entry.items() if field != "name"}},
        }

    def entries(self, workload: Object) -> dict[str, Object]:
        """The groups that a Workload describes, by name."""
        return {entry["name"]: entry for entry in workload["spec"].get(self.api.groups_field) or ()}

    def _entry(self, group: PlannedGroup) -> Object:
        """A group of a Workload; only what can become a PodGroup has a priority of its own."""
        priority = {"priorityClassName": group.priority} if group.priority and self.api.has_group_objects else {}
        return {**self.api.entry(group.name, gang_policy(group.minimum)), **priority}


def served(client: Client) -> Dialect | None:
    """The release of the API that is served; None if gangs are switched off in this cluster."""
    for api in gang_apis():
        group, _, version = api.version.partition("/")
        if version in client.served_versions(group):
            dialect = Dialect(api)
            resources = client.request("GET", f"/apis/{api.version}")["resources"]
            if any(entry["name"] == dialect.workload.plural for entry in resources):
                return dialect
    return None


def owner(jobset: Object) -> Object:
    """The reference that makes an object the JobSet's own."""
    meta = jobset["metadata"]
    return {
        "apiVersion": JOBSET.api_version,
        "kind": JOBSET.kind,
        "name": meta["name"],
        "uid": meta["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def points_to(workload: Object) -> str:
    """The JobSet that a Workload's controllerRef names; empty if it names none."""
    reference = (workload.get("spec") or {}).get("controllerRef") or {}
    same = reference.get("kind") == JOBSET.kind and reference.get("apiGroup") == JOBSET.api_version.partition("/")[0]
    return str(reference["name"]) if same else ""


def owner_of(obj: Object) -> Object:
    """The JobSet that an object belongs to, as a reference; empty if it belongs to none."""
    references = obj["metadata"].get("ownerReferences") or ()
    return next((entry for entry in references if entry.get("controller") and entry["kind"] == JOBSET.kind), {})
