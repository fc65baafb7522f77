"""The point of priority: pods that matter less make room, and then the gang runs, all of it."""

from harness import Gang, World, case


@case(
    "A gang of higher priority MUST evict pods of lower priority where that lets it start, and MUST be bound whole.",
    clauses=["GANG-20", "WL-69", "WL-77"],
)
def test_gang_preempts_and_starts_whole(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(2, gpus=4)
    fillers = [world.pod(gpus=2, priority=low) for _ in range(4)]
    assert world.is_bound(*fillers)

    gang = world.submit(Gang("urgent", size=4, gpus=2, priority=high))

    assert gang.is_bound_whole()
