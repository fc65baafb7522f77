"""A group is a gang or it is not."""

from harness import World, case


@case(
    "A group MUST have one policy: none and two are refused, and basic is an empty object.",
    clauses=["WL-08", "WL-13"],
)
def test_group_has_exactly_one_policy(world: World) -> None:
    native = world.native

    assert world.objects.accepts(
        native.workload("basic", {"members": native.BASIC}), "a basic group is an empty object"
    )
    assert world.objects.accepts(native.workload("gang", {"members": native.gang_policy(1)}), "a gang is accepted")
    none = native.workload("none", {"members": {}})
    assert world.objects.rejects(none, "a group without policy is refused", mention=native.policy_field)
    both = native.workload("both", {"members": {**native.BASIC, **native.gang_policy(1)}})

    assert world.objects.rejects(both, "a group with both policies is refused", mention=native.policy_field)
