"""Objects of Kubernetes' own gang API, in the words of the version that the box serves.

The API was renamed with every minor: 1.35 has groups inside a Workload that pods point into, 1.36 and later have
PodGroup objects of their own. Cases about that API say what they mean once; this says it in the served dialect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.box.profile import profile
from harness.core.gang import Gang
from harness.world import Object, World

Policy = dict[str, Any]
BASIC: Policy = {"basic": {}}


def gang_policy(minimum: int) -> Policy:
    return {"gang": {"minCount": minimum}}


class Native:
    """Builds objects for one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.version = profile(world.lab.box.kubernetes).group
        self.inline = self.version.endswith("v1alpha1")  # groups live inside the Workload
        self.groups_field = "podGroups" if self.inline else "podGroupTemplates"
        self.policy_field = "policy" if self.inline else "schedulingPolicy"
        self.reference_field = "workloadRef" if self.inline else "schedulingGroup"

    def workload(self, name: str, groups: Mapping[str, Policy] | None = None, **spec: Any) -> Object:
        """A Workload with these groups; by default one, `members`, a gang of two."""
        wanted = {"members": gang_policy(2)} if groups is None else groups
        entries = [{"name": group, self.policy_field: policy} for group, policy in wanted.items()]
        return self._object("Workload", name, {self.groups_field: entries, **spec})

    def group(self, name: str, policy: Policy, workload: str = "", template: str = "", label: str = "") -> Object:
        """A PodGroup (1.36 and later)."""
        reference: Object = {}
        if workload and self.version.endswith("v1alpha2"):
            target = {"workloadName": workload, "podGroupTemplateName": template}
            reference = {"podGroupTemplateRef": {"workload": target}}
        elif workload:
            reference = {"workloadRef": {"workloadName": workload, "templateName": template}}
        made = self._object("PodGroup", name, {**reference, self.policy_field: policy})
        made["metadata"]["labels"] = {"muster.dev/gang": label or name}
        return made

    def reference(self, workload: str, group: str, instance: str, replica: str = "") -> Object:
        """What a pod's spec says about its group."""
        if not self.inline:
            return {"podGroupName": instance}
        return {"name": workload, "podGroup": group, **({"podGroupReplicaKey": replica} if replica else {})}

    def members(self, gang: Gang, policy: Policy, workload: str, group: str, replica: str = "") -> list[Object]:
        """The gang as an instance of a group of that Workload: its PodGroup, where there is one, and its pods."""
        objects = [] if self.inline else [self.group(gang.name, policy, workload, group)]
        for name, role in gang.members():
            pod = self.pod(name, self.reference(workload, group, gang.name, replica), role.request)
            pod["metadata"]["labels"] = {"muster.dev/gang": gang.name}
            objects.append(pod)
        return objects

    def pod(self, name: str, reference: Object | None, request: Mapping[str, str] | None = None) -> Object:
        """A pod with that reference to a group."""
        plain = self.world.lab.plain_pod(
            self.world.namespace, name, part="plain", request=request or {"cpu": "1m", "memory": "1Mi"}
        )
        if reference is not None:
            plain["spec"][self.reference_field] = reference
        return plain

    def job(self, name: str, pods: int, reference: Object, gpus: int = 1) -> Object:
        """A Job whose pods carry that reference."""
        pod = self.pod(name, reference, {"cpu": "100m", "memory": "64Mi", "nvidia.com/gpu": str(gpus)})
        template = {"metadata": {"labels": {"muster.dev/gang": name}}, "spec": pod["spec"]}
        spec = {"parallelism": pods, "completions": pods, "completionMode": "Indexed", "template": template}
        meta = {"name": name, "namespace": self.world.namespace}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec}

    def _object(self, kind: str, name: str, spec: Object) -> Object:
        meta = {"name": name, "namespace": self.world.namespace}
        return {"apiVersion": self.version, "kind": kind, "metadata": meta, "spec": spec}
