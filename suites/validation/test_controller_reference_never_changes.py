"""A controller that was found by its reference once must be found by it again."""

from harness import World, case


@case(
    "A controllerRef that is set MUST NOT change.",
    clauses=["WL-11"],
)
def test_controller_reference_never_changes(world: World) -> None:
    job = {"apiGroup": "batch", "kind": "Job", "name": "training"}
    workload = world.native.workload("app", controllerRef=job)
    assert world.objects.accepts(workload, "a Workload with a controllerRef can be created")

    change = {"spec": {"controllerRef": {**job, "name": "other"}}}
    assert world.objects.rejects_change(workload, change, "controllerRef cannot be changed", mention="controllerRef")

    gone = {"spec": {"controllerRef": None}}
    assert world.objects.rejects_change(workload, gone, "controllerRef cannot be removed", mention="controllerRef")
