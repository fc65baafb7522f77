"""`world.native`: objects of Kubernetes' own gang API, in the fields of the version that the box serves.

Cases about that API say what they mean once; harness/core/gang_api.py knows how each version writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from harness.adapters.common.render import single_pod
from harness.box.api import Object
from harness.box.minor import minor_of
from harness.cases.context import Context
from harness.core.gang import Gang
from harness.core.gang_api import gang_policy
from harness.core.labels import GANG_LABEL

Policy = dict[str, Any]


class Native:
    """Builds objects for one case."""

    BASIC: ClassVar[Policy] = {"basic": {}}  # the policy of a group whose members start one by one

    def __init__(self, context: Context) -> None:
        self._context = context
        self.api = minor_of(context.testbed.box.kubernetes).gang_api
        self.version = self.api.version
        self.inline = not self.api.has_group_objects  # groups are entries of the Workload and nothing else
        self.groups_field = self.api.groups_field
        self.policy_field = self.api.policy_field
        self.reference_field = self.api.reference_field

    @staticmethod
    def gang_policy(minimum: int) -> Policy:
        """The policy of a group that starts with this minimum, or not at all."""
        return gang_policy(minimum)

    def workload(self, name: str, groups: Mapping[str, Policy] | None = None, **spec: Any) -> Object:
        """A Workload with these groups; by default one, `members`, a gang of two."""
        policies = {"members": self.gang_policy(2)} if groups is None else groups
        entries = [self.api.entry(group, policy) for group, policy in policies.items()]
        return self._object("Workload", name, {self.groups_field: entries, **spec})

    def group(
        self, name: str, policy: Policy, workload: str = "", template: str = "", label: str = "", priority: str = ""
    ) -> Object:
        """A PodGroup (1.36 and later)."""
        origin = self.api.made_from(workload, template) if workload else {}
        rank = {"priorityClassName": priority} if priority else {}
        group = self._object("PodGroup", name, {**origin, self.policy_field: policy, **rank})
        group["metadata"]["labels"] = {GANG_LABEL: label or name}
        return group

    def reference(self, workload: str, group: str, instance: str, replica: str = "") -> Object:
        """What a pod's spec says about its group."""
        reference: Object = self.api.refer(workload, group, instance, replica)[self.reference_field]
        return reference

    def members(self, gang: Gang, policy: Policy, workload: str, group: str, replica: str = "") -> list[Object]:
        """The gang as an instance of a group of that Workload: its PodGroup, where there is one, and its pods."""
        rank = gang.priority or ""
        objects = [] if self.inline else [self.group(gang.name, policy, workload, group, priority=rank)]
        for name, role in gang.members():
            pod = self.pod(name, self.reference(workload, group, gang.name, replica), role.request)
            pod["spec"] |= {"priorityClassName": rank} if rank else {}
            pod["metadata"]["labels"] = {GANG_LABEL: gang.name}
            objects.append(pod)
        return objects

    def pod(self, name: str, reference: Object | None, request: Mapping[str, str] | None = None) -> Object:
        """A pod with that reference to a group."""
        plain = single_pod(
            self._context.testbed.adapter,
            self._context.namespace,
            name,
            part="plain",
            request=request or {"cpu": "1m", "memory": "1Mi"},
        )
        if reference is not None:
            plain["spec"][self.reference_field] = reference
        return plain

    def job(self, name: str, pods: int, reference: Object, gpus: int = 1) -> Object:
        """A Job whose pods carry that reference."""
        pod = self.pod(name, reference, {"cpu": "100m", "memory": "64Mi", "nvidia.com/gpu": str(gpus)})
        template = {"metadata": {"labels": {GANG_LABEL: name}}, "spec": pod["spec"]}
        spec = {"parallelism": pods, "completions": pods, "completionMode": "Indexed", "template": template}
        meta = {"name": name, "namespace": self._context.namespace}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec}

    def _object(self, kind: str, name: str, spec: Object) -> Object:
        meta = {"name": name, "namespace": self._context.namespace}
        return {"apiVersion": self.version, "kind": kind, "metadata": meta, "spec": spec}
