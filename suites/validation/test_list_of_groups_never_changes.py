"""Pods are on their way that refer to these groups."""

from harness import World, case


@case(
    "Groups MUST NOT be added to a Workload or removed from it.",
    clauses=["WL-06"],
)
def test_list_of_groups_never_changes(world: World) -> None:
    native = world.native
    workload = native.workload("app", {"one": native.gang_policy(2), "two": native.gang_policy(2)})
    assert world.objects.accepts(workload, "a Workload with two groups can be created")
    entries = workload["spec"][native.groups_field]

    more = [*entries, {"name": "three", native.policy_field: native.gang_policy(2)}]
    for groups, change_word in ((more, "added"), (entries[:1], "removed")):
        change = {"spec": {native.groups_field: groups}}
        assert world.objects.rejects_change(
            workload, change, f"a group cannot be {change_word}", mention=native.groups_field
        )
