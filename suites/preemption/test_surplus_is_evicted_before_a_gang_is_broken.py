"""The running gang has two members more than it must have, which is just what the preemptor needs."""

from harness import Gang, World, case


@case(
    "When the surplus of a running gang would be enough for a preemptor, what is evicted is reported.",
    clauses=["GANG-31"],
    needs=["quorum"],
    level="extended",
)
def test_surplus_is_evicted_before_a_gang_is_broken(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(3, gpus=2)
    running = world.submit(Gang("running", size=6, quorum=4, gpus=1, priority=low))
    assert running.is_bound_whole()

    gang = world.submit(Gang("urgent", size=2, gpus=1, priority=high))

    gang.is_bound_whole()
    world.stand("the running gang keeps its quorum", running, least=4)
