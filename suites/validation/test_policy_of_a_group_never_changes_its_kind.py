"""From 1.37 on the number may change; whether it is a gang at all may not."""

from harness import World, case


@case(
    "A group MUST NOT turn from a gang into a basic group.",
    clauses=["WL-06", "WL-08"],
)
def test_policy_of_a_group_never_changes_its_kind(world: World) -> None:
    native = world.native
    workload = native.workload("app", {"members": native.gang_policy(2)})
    assert world.objects.accepts(workload, "a Workload can be created")

    change = {"spec": {native.groups_field: [{"name": "members", native.policy_field: {**native.BASIC, "gang": None}}]}}

    assert world.objects.rejects_change(
        workload, change, "a gang cannot become a basic group", mention=native.groups_field
    )
