"""What can go wrong between a JobSet and its gangs: refused Workloads, a controller turned off, nobody who cleans up.

Each word writes itself into the history before it acts; what it changed is undone after the case.
"""

from __future__ import annotations

from dataclasses import replace

from harness.adapters.jobset_gang import NAME
from harness.core.errors import ApiError
from harness.core.verdict import Verdict
from harness.native import Native
from harness.world import Object, World

POLICY = ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy")
BINDING = ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding")
CLEANER = "kube-controller-manager"
REFUSAL = "no Workload may be made for now, says the case"


def turn_off(world: World) -> None:
    """Run the controller with gangs turned off until the end of the case."""
    process = world.lab.box.processes[NAME]
    world.lab.commands.setdefault(NAME, process.command)
    world.recorder.act("restart", NAME, role="controller", gangs=False)
    process.command = replace(process.command, argv=(*process.command.argv, "--gangs=off"))
    process.restart(world.deadline("ready"))
    world.recorder.act("ready", NAME, role="controller")


def stop_cleaning(world: World) -> None:
    """From now on nobody collects what belongs to deleted objects, as when there is too much of it."""
    world.recorder.act("pause", CLEANER, role="controller")
    world.lab.box.processes[CLEANER].pause()


def go_on_cleaning(world: World) -> None:
    """Lift what `stop_cleaning` did."""
    world.lab.box.processes[CLEANER].resume()
    world.recorder.act("resume", CLEANER, role="controller")


def refuse_workloads(world: World) -> Verdict:
    """From now on the API server refuses to create Workloads in the case's namespace."""
    group, _, version = Native(world).version.partition("/")
    what = {"apiGroups": [group], "apiVersions": [version], "operations": ["CREATE"], "resources": ["workloads"]}
    rule = {"expression": f"request.namespace != '{world.namespace}'", "message": REFUSAL}
    spec: Object = {"failurePolicy": "Fail", "matchConstraints": {"resourceRules": [what]}, "validations": [rule]}
    name = f"no-workloads-{world.namespace}"
    world.create({"apiVersion": POLICY[0], "kind": POLICY[1], "metadata": {"name": name}, "spec": spec})
    bound = {"policyName": name, "validationActions": ["Deny"]}
    world.create({"apiVersion": BINDING[0], "kind": BINDING[1], "metadata": {"name": name}, "spec": bound})

    def refused() -> bool:
        try:
            world.api.create(Native(world).workload("probe"), dryRun="All")
        except ApiError as error:
            return REFUSAL in error.message
        return False

    return world.sees("the API server refuses Workloads", refused)


def allow_workloads(world: World) -> None:
    """Lift what `refuse_workloads` did."""
    for kind in (BINDING, POLICY):
        world.remove(kind, f"no-workloads-{world.namespace}")
