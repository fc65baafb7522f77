"""Each gang needs the whole cluster. Whoever wins ends, and then the other must run: no deadlock, no livelock."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "Of two gangs that each need the whole cluster both MUST run, one after the other.",
    clauses=["GANG-07", "GANG-26", "WL-64", "WL-65"],
)
def test_gangs_that_block_each_other_take_turns(world: World) -> None:
    world.nodes(2, gpus=4)
    red, blue = world.submit_mixed(Gang("red", size=8, gpus=1), Gang("blue", size=8, gpus=1))
    verdict, winner = world.one_of(red, blue)
    assert verdict
    assert winner is not None

    world.free(winner)

    assert (blue if winner is red else red).is_bound_whole()
