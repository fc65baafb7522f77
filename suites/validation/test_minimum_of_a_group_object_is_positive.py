"""The same rules hold where a group is an object of its own."""

from harness import World, case


@case(
    "A PodGroup MUST have one policy, and a gang in it a minCount of one or more.",
    clauses=["WL-08", "WL-09", "GANG-37"],
    needs=["group-object"],
)
def test_minimum_of_a_group_object_is_positive(world: World) -> None:
    native = world.native

    assert world.objects.accepts(native.group("good", native.gang_policy(1)), "a PodGroup needs no Workload")
    for bad in (0, -1):
        assert world.objects.rejects(
            native.group("bad", native.gang_policy(bad)), f"minCount {bad} is refused", mention="minCount"
        )
    assert world.objects.rejects(
        native.group("none", {}), "a PodGroup without policy is refused", mention="schedulingPolicy"
    )
    both = native.group("both", {**native.BASIC, **native.gang_policy(1)})

    assert world.objects.rejects(both, "a PodGroup with both policies is refused", mention="schedulingPolicy")
