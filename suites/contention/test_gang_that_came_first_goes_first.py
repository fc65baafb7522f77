"""At equal priority the line is the only thing that is fair."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "Of two waiting gangs of equal priority the one submitted first SHOULD be bound when room appears.",
    clauses=["WL-62", "KOORD-43"],
    strength="SHOULD",
    profile="GANG-CONTENTION",
    level="extended",
)
def test_gang_that_came_first_goes_first(world: World) -> None:
    world.nodes(1, gpus=1)
    first = world.submit(Gang("first", size=4, gpus=2))
    assert first.is_refused()
    second = world.submit(Gang("second", size=4, gpus=2))
    assert second.is_refused()

    world.start_in_order(first, second)
    world.nodes(1, gpus=8)

    assert first.is_bound_whole()
    assert second.still_waits()
