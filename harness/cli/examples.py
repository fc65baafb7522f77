"""`muster run --dry-run`: an example of every kind of object that a run creates in a user's cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import click
import yaml

from harness.adapters import adapter
from harness.adapters.common.base import Adapter
from harness.adapters.common.render import gang_objects, single_pod
from harness.box.api import Object
from harness.box.existing import loan
from harness.box.existing.access import check_reachable
from harness.box.existing.ownership import Ownership
from harness.box.existing.real_nodes import usable_nodes
from harness.box.nodes import Pool, render_node
from harness.cases.context import Context
from harness.cases.devices import Devices
from harness.cases.owners import owner_objects
from harness.cases.storage import Storage
from harness.cases.values import Job
from harness.core.errors import ExitCode
from harness.core.gang import OWN_GPU, Gang
from harness.runner.config import RunConfig

EXAMPLE = Ownership("0a1b2c3d")  # the label of a run is made when it starts
NAMESPACE = "case-00000000"
HEAD = """# What a run creates in the cluster looks like this. The value of the label is new in every run. Gangs differ
# in size, names and requests from case to case, and carry the same label, selector and toleration.
"""
BORROWED = """# Each of these nodes is borrowed: this is put on it and taken off again. While a case uses it, the amount
# of {resource} is another one, the taint {taint} is off, and labels and taints that the case asks for are on.
"""


def print_objects(config: RunConfig) -> int:
    """Everything that the run would create, as YAML; nothing is created."""
    access = config.box.access()
    api = access.connect()
    kubernetes = check_reachable(api, access)
    selector = config.box.nodes_selector
    mark = Ownership(EXAMPLE.run, config.box.pause_image or "")
    nodes: list[Object] = []
    text = HEAD
    if selector:
        names, _ = usable_nodes(api, selector)
        nodes = [_borrowed(mark, name) for name in names]
        text += BORROWED.format(resource=OWN_GPU, taint=loan.IDLE["key"])
    else:
        node = render_node(Pool(1, gpus=8), f"muster-{mark.run}-node-0", 0, f"v{kubernetes}", mark.run)
        nodes = [mark.mark(node)]
    objects = [mark.mark(obj) for obj in _objects(config, kubernetes)]
    click.echo(text + yaml.safe_dump_all([*nodes, *objects], sort_keys=False), nl=False)
    return ExitCode.CONFORMANT


def _borrowed(mark: Ownership, name: str) -> Object:
    lent = loan.idle(mark)
    amount = {OWN_GPU: "8"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": dict(lent.labels), "annotations": {loan.BORROWED: lent.note()}},
        "spec": {"taints": [dict(taint) for taint in lent.taints]},
        "status": {"capacity": amount, "allocatable": dict(amount)},
    }


def _objects(config: RunConfig, kubernetes: str) -> Iterator[Object]:
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    for name in config.integrations:
        integration = adapter(name.partition("@")[0])
        gang = Gang("example", size=2, gpus=1)
        objects = gang_objects(integration, gang, NAMESPACE, kubernetes)
        yield from objects
        if any(obj["kind"] == "Pod" for obj in objects):
            job = Job(gang.name, size=gang.size, gpus=1)
            yield from (obj for obj in owner_objects(integration, job, objects) if obj["kind"] == job.KIND.kind)
        yield single_pod(integration, NAMESPACE, "fence-1", part="fence", request={"cpu": "1m"})
        if "queues" in config.box.disruptions:
            yield from _queues(integration)
    yield from _of_cases()


def _queues(integration: Adapter) -> Iterator[Object]:
    for kind in integration.queue_kinds:
        yield {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": "example"}}


class _CollectedObjects:
    """Stands for a case whose objects are not created but kept."""

    namespace = NAMESPACE

    def __init__(self) -> None:
        self._objects: list[Object] = []

    def create(self, obj: Object) -> None:
        self._objects.append(obj)

    def of_volumes_and_devices(self) -> list[Object]:
        context, node = cast(Context, self), f"muster-{EXAMPLE.run}-node-0"
        storage, devices = Storage(context), Devices(context)
        storage.local_volumes(node)
        storage.claim("example-0")
        devices.publish(1, node)
        devices.claim_for_each()
        devices.shared_claim("shared")
        return self._objects


def _of_cases() -> Iterator[Object]:
    """What some cases create besides gangs."""
    yield from _CollectedObjects().of_volumes_and_devices()
    suffix = NAMESPACE.removeprefix("case-")
    policy = {"name": f"no-pods-binding-{NAMESPACE}"}
    yield {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": f"priority-10-{suffix}"},
        "value": 10,
        "preemptionPolicy": "PreemptLowerPriority",
    }
    yield {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": f"sandbox-{suffix}"},
        "handler": "runc",
        "overhead": {"podFixed": {"cpu": "1"}},
    }
    yield {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "guard", "namespace": NAMESPACE},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"example.com/guarded": "true"}}},
    }
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods/binding"]}
    check = {"expression": f"request.namespace != '{NAMESPACE}' || request.name != 'victim-2'", "message": "refused"}
    yield {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": policy,
        "spec": {"failurePolicy": "Fail", "matchConstraints": {"resourceRules": [rule]}, "validations": [check]},
    }
    yield {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": policy,
        "spec": {"policyName": policy["name"], "validationActions": ["Deny"]},
    }
