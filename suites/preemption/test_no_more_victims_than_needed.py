"""The cluster is full and the gang needs half of it."""

from harness import Gang, World, case


@case(
    "A gang MUST NOT evict more pods than it needs to start.",
    clauses=["GANG-21", "WL-71", "WL-77"],
)
def test_no_more_victims_than_needed(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    fillers = [world.pod(gpus=2, priority=low) for _ in range(4)]
    assert world.is_bound(*fillers)

    gang = world.submit(Gang("urgent", size=2, gpus=2, priority=high))

    assert gang.is_bound_whole()
    assert world.stand("two of four fillers were spared", *fillers, least=2, most=2)
