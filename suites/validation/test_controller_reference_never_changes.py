"""Whoever was followed back once must be found there again."""

from harness.case import case
from harness.native import Native
from harness.world import World


@case(
    "A controllerRef that is set MUST NOT change.",
    clauses=["WL-11"],
    needs=["workload-object"],
    profile="WORKLOAD-API",
)
def test_controller_reference_never_changes(world: World) -> None:
    job = {"apiGroup": "batch", "kind": "Job", "name": "training"}
    made = Native(world).workload("app", controllerRef=job)
    assert world.accepts(made, "a Workload with a controllerRef can be created")

    change = {"spec": {"controllerRef": {**job, "name": "other"}}}
    assert world.rejects_change(made, change, "controllerRef cannot be changed", mention="controllerRef")

    gone = {"spec": {"controllerRef": None}}
    assert world.rejects_change(made, gone, "controllerRef cannot be removed", mention="controllerRef")
