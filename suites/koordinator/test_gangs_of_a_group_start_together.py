"""Two gangs that need each other: the first is complete and must wait for the second."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "Gangs that ask to start together MUST be bound together, and none of them before all are complete.",
    clauses=["GANG-33", "KOORD-12", "KOORD-29", "KOORD-31"],
    needs=["gang", "gang-group"],
    profile="KOORDINATOR",
)
def test_gangs_of_a_group_start_together(world: World) -> None:
    world.nodes(2, gpus=4)

    one = world.submit(Gang("one", size=2, gpus=2, group=("two",)))
    assert one.still_waits()
    two = world.submit(Gang("two", size=2, gpus=2, group=("one",)))

    assert one.is_bound_whole()
    assert two.is_bound_whole()
