"""Its members would fit, but the gang says that it needs more in total: the rest may come later, and must have room."""

from harness import Gang, World, case


@case(
    "A gang MUST NOT be begun before there is room for what it declares to need in total.",
    clauses=["GANG-40", "GANG-05"],
    needs=["total"],
    level="extended",
)
def test_gang_that_declares_more_than_there_is_waits(world: World) -> None:
    world.nodes(1, gpus=4)

    gang = world.submit(Gang("growing", size=2, gpus=1, total_gpus=6))
    assert gang.is_refused()
    world.nodes(1, gpus=4)

    assert gang.is_bound_whole()
