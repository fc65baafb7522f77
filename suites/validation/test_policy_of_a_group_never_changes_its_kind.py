"""From 1.37 on the number may change; whether it is a gang at all may not."""

from harness.case import case
from harness.native import BASIC, Native, gang_policy
from harness.world import World


@case(
    "A group MUST NOT turn from a gang into a basic group.",
    clauses=["WL-06", "WL-08"],
    needs=["workload-object"],
    profile="WORKLOAD-API",
)
def test_policy_of_a_group_never_changes_its_kind(world: World) -> None:
    native = Native(world)
    made = native.workload("app", {"members": gang_policy(2)})
    assert world.accepts(made, "a Workload can be created")

    change = {"spec": {native.groups_field: [{"name": "members", native.policy_field: {**BASIC, "gang": None}}]}}

    assert world.rejects_change(made, change, "a gang cannot become a basic group", mention=native.groups_field)
