"""Half a training job is worth nothing. A gang that says so must not be left in halves, even if half would be
enough."""

from harness import Gang, World, case


@case(
    "A gang that may only be taken whole MUST be evicted whole or not at all.",
    clauses=["GANG-22", "WL-69"],
    needs=["gang-disruption"],
)
def test_victim_gang_falls_whole(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(2, gpus=4)
    victim = world.submit(Gang("victim", size=4, gpus=2, priority=low, disruption="gang"))
    assert victim.is_bound_whole()

    gang = world.submit(Gang("urgent", size=2, gpus=2, priority=high))

    assert gang.is_bound_whole()
    assert victim.is_released()
