"""An empty Workload means nothing, and a large one does not fit what schedulers are built for."""

from harness.cases.language import Object, World, case


def with_groups(world: World, count: int) -> Object:
    policy = world.native.gang_policy(1)
    return world.native.workload(f"with-{count}", {f"group-{n}": policy for n in range(count)})


@case(
    "A Workload MUST have at least one group and MUST NOT have more than eight.",
    clauses=["WL-04", "WL-05"],
)
def test_workload_has_one_to_eight_groups(world: World) -> None:
    native = world.native

    assert world.objects.accepts(with_groups(world, 1), "one group is accepted")
    assert world.objects.accepts(with_groups(world, 8), "eight groups are accepted")
    assert world.objects.rejects(with_groups(world, 0), "no group is refused", mention=native.groups_field)
    assert world.objects.rejects(with_groups(world, 9), "nine groups are refused", mention=native.groups_field)
