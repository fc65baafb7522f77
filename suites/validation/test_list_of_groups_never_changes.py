"""Pods are on their way that refer to these groups."""

from harness.case import case
from harness.native import Native, gang_policy
from harness.world import World


@case(
    "Groups MUST NOT be added to a Workload or removed from it.",
    clauses=["WL-06"],
    needs=["workload-object"],
    profile="WORKLOAD-API",
)
def test_list_of_groups_never_changes(world: World) -> None:
    native = Native(world)
    made = native.workload("app", {"one": gang_policy(2), "two": gang_policy(2)})
    assert world.accepts(made, "a Workload with two groups can be created")
    entries = made["spec"][native.groups_field]

    more = [*entries, {"name": "three", native.policy_field: gang_policy(2)}]
    for groups, words in ((more, "added"), (entries[:1], "removed")):
        change = {"spec": {native.groups_field: groups}}
        assert world.rejects_change(made, change, f"a group cannot be {words}", mention=native.groups_field)
