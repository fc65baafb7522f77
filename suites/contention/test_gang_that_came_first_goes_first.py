"""At equal priority the line is the only thing that is fair. Five gangs stand in it, so that the right order is no accident."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "Waiting gangs of equal priority SHOULD be bound in the order in which they were submitted.",
    clauses=["WL-62", "KOORD-43"],
    strength="SHOULD",
    profile="GANG-CONTENTION",
    level="extended",
)
def test_gang_that_came_first_goes_first(world: World) -> None:
    world.nodes(1, gpus=1)
    line = []
    for n in range(5):
        line.append(world.submit(Gang(f"gang-{n}", size=2, gpus=2, lifetime=0.2)))
        assert line[-1].is_refused()

    world.start_in_order(*line)
    world.nodes(1, gpus=4)

    assert world.all_start(*line)
