"""Each gang needs the whole cluster. The winner ends, and then the other must run: no deadlock, no livelock."""

from harness import Gang, World, case


@case(
    "Of two gangs that each need the whole cluster both MUST run, one after the other.",
    profile="GANG-CORE",
    clauses=["GANG-07", "GANG-26", "WL-64", "WL-65"],
)
def test_gangs_that_block_each_other_take_turns(world: World) -> None:
    world.nodes(2, gpus=4)
    red, blue = world.gangs.submit_in_turns(Gang("red", size=8, gpus=1), Gang("blue", size=8, gpus=1))
    verdict, winner = world.gangs.one_of(red, blue)
    assert verdict
    assert winner is not None

    winner.delete()

    assert (blue if winner is red else red).is_bound_whole()
