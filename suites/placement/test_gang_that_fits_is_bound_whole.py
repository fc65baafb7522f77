"""The first promise of every gang scheduler: room for all of it means all of it starts."""

from harness import Gang, World, case


@case(
    "A gang for which there is room MUST be bound whole.",
    clauses=["WL-30", "WL-36", "KOORD-19", "KAR-0053-1", "GANG-01", "GANG-03", "KOORD-01", "KOORD-02"],
)
def test_gang_that_fits_is_bound_whole(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("whole", size=4, gpus=2))

    assert gang.is_bound_whole()
