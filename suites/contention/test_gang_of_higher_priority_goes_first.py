"""Two gangs wait for the same room, the lesser one longer."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "Of two waiting gangs the one of higher priority SHOULD be bound when room appears.",
    clauses=["GANG-18", "WL-61", "KOORD-42"],
    needs=["gang", "priority"],
    strength="SHOULD",
    profile="GANG-CONTENTION",
)
def test_gang_of_higher_priority_goes_first(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(1, gpus=1)
    lesser = world.submit(Gang("lesser", size=4, gpus=2, priority=low))
    assert lesser.is_refused()
    greater = world.submit(Gang("greater", size=4, gpus=2, priority=high))
    assert greater.is_refused()

    world.start_in_order(greater, lesser)
    world.nodes(1, gpus=8)

    assert greater.is_bound_whole()
    assert lesser.still_waits()
