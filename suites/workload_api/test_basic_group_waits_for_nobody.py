"""Not every group is a gang. Members of a basic group are placed as they come and as they fit."""

from harness import Gang, World, case


@case(
    "Of a basic group as many members MUST be bound as fit.",
    clauses=["WL-33", "WL-67"],
    needs=["basic-policy"],
)
def test_basic_group_waits_for_nobody(world: World) -> None:
    native = world.native
    world.nodes(1, gpus=4)
    world.objects.create(native.workload("app", {"members": native.BASIC}))
    gang = Gang("loose", size=4, quorum=1, gpus=2)

    submitted = world.submit(gang, objects=native.members(gang, native.BASIC, "app", "members"))

    assert submitted.reaches_quorum()
    world.until(lambda: submitted.bound == 2, "bound")
    assert world.scheduler_is_working()
    assert world.stand("two of four members fit and are bound", submitted, least=2, most=2)
