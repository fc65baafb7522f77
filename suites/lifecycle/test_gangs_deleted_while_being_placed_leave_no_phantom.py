"""Gangs are deleted at every stage of being placed, some of them in the middle of it. A scheduler that forgets to
strike one of them from its books believes a node to be fuller than it is, for ever."""

from harness import Gang, World, case


@case(
    "After many gangs were deleted at any stage, a gang that needs the whole cluster MUST be bound.",
    clauses=["GANG-01", "GANG-13"],
    level="extended",
)
def test_gangs_deleted_while_being_placed_leave_no_phantom(world: World) -> None:
    world.nodes(3, gpus=2)
    gangs = [world.submit(Gang(f"brief-{n}", size=2, gpus=1)) for n in range(20)]
    for gang in gangs:
        gang.delete()
    for gang in gangs:
        assert gang.is_gone()

    whole = world.submit(Gang("whole", size=6, gpus=1))

    assert whole.is_bound_whole()
