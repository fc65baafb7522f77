"""Up to 1.36 a Workload is fixed down to the number in it; 1.37 lets that one change."""

from harness.case import case
from harness.native import Native, gang_policy
from harness.world import World


@case(
    "The minCount in a Workload MUST NOT change.",
    clauses=["WL-06"],
    needs=["workload-object"],
    profile="WORKLOAD-API",
    kubernetes="<1.37",
)
def test_minimum_in_a_workload_never_changes(world: World) -> None:
    native = Native(world)
    made = native.workload("app", {"members": gang_policy(2)})
    assert world.accepts(made, "a Workload can be created")

    change = {"spec": {native.groups_field: [{"name": "members", native.policy_field: gang_policy(3)}]}}

    assert world.rejects_change(made, change, "minCount cannot be changed", mention=native.groups_field)
