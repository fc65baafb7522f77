"""A basic group has no quorum to protect: as many of its members fall as the preemptor needs."""

from harness import Gang, World, case


@case(
    "Of a basic group no more members MUST be evicted than a gang of higher priority needs.",
    clauses=["GANG-21", "WL-67", "WL-71"],
    needs=["basic-policy"],
    level="extended",
)
def test_members_of_a_basic_group_fall_one_by_one(world: World) -> None:
    native = world.native
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    world.objects.create(native.workload("app", {"members": native.BASIC}))
    loose = Gang("loose", size=4, quorum=1, gpus=2, priority=low)
    basic = world.submit(loose, objects=native.members(loose, native.BASIC, "app", "members"))
    assert basic.is_bound_whole()

    gang = world.submit(Gang("urgent", size=2, gpus=2, priority=high))

    assert gang.is_bound_whole()
    assert world.stand("two of four members of the basic group are spared", basic, least=2, most=2)
