"""There are victims of two ranks, and the lower rank is enough."""

from harness import Gang, World, case


@case(
    "A gang SHOULD NOT evict a pod while pods of lower priority would have been enough.",
    clauses=["GANG-21", "WL-71"],
)
def test_only_the_lowest_priority_is_evicted(world: World) -> None:
    low, middle, high = (world.priority(name, value) for name, value in (("low", 1), ("middle", 10), ("high", 100)))
    world.nodes(18, gpus=2)
    better = [world.pod(gpus=2, priority=middle) for _ in range(15)]  # so many that sparing them is no accident
    lowest = [world.pod(gpus=2, priority=low) for _ in range(3)]
    assert world.is_bound(*lowest, *better)

    gang = world.submit(Gang("urgent", size=3, gpus=2, priority=high))

    assert gang.is_bound_whole()
    assert world.stand("pods of middle priority were spared", *better, least=15)
