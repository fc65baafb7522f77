"""Two gangs that need each other: the first is complete and must wait for the second."""

from harness import Gang, World, case


@case(
    "Gangs that ask to start together MUST be bound together, and none of them before all are complete.",
    clauses=["GANG-33", "KOORD-12", "KOORD-29", "KOORD-31"],
    needs=["gang-group"],
)
def test_gangs_of_a_group_start_together(world: World) -> None:
    world.nodes(2, gpus=4)

    first = world.submit(Gang("one", size=2, gpus=2, group=("two",)))
    assert first.stays_pending()
    second = world.submit(Gang("two", size=2, gpus=2, group=("one",)))

    assert first.is_bound_whole()
    assert second.is_bound_whole()
