"""A priority below zero is for work that can be put off: who states no priority has zero, and goes before it."""

from harness import Gang, World, case


@case(
    "A gang without a priority MUST evict pods of negative priority where that lets it start, and MUST be bound whole.",
    clauses=["GANG-20", "WL-69"],
    level="extended",
)
def test_gang_without_a_priority_preempts_pods_below_zero(world: World) -> None:
    below = world.priority("below", -10)
    world.nodes(2, gpus=4)
    fillers = [world.pod(gpus=2, priority=below) for _ in range(4)]
    assert world.is_bound(*fillers)

    gang = world.submit(Gang("ordinary", size=4, gpus=2))

    assert gang.is_bound_whole()
