"""Up to 1.36 a Workload is fixed down to the number in it; 1.37 lets that one change."""

from harness import World, case


@case(
    "The minCount in a Workload MUST NOT change.",
    clauses=["WL-06"],
    kubernetes="<1.37",
)
def test_minimum_in_a_workload_never_changes(world: World) -> None:
    native = world.native
    workload = native.workload("app", {"members": native.gang_policy(2)})
    assert world.objects.accepts(workload, "a Workload can be created")

    change = {"spec": {native.groups_field: [{"name": "members", native.policy_field: native.gang_policy(3)}]}}

    assert world.objects.rejects_change(workload, change, "minCount cannot be changed", mention=native.groups_field)
