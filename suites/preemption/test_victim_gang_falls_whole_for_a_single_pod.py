"""The preemptor is no gang itself. The victim's wish counts all the same."""

from harness import Gang, World, case


@case(
    "A gang that may only be taken whole MUST be evicted whole also for a pod of no gang.",
    clauses=["GANG-22", "WL-72"],
    needs=["gang-disruption"],
    level="extended",
)
def test_victim_gang_falls_whole_for_a_single_pod(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(2, gpus=4)
    victim = world.submit(Gang("victim", size=4, gpus=2, priority=low, disruption="gang"))
    assert victim.is_bound_whole()

    single = world.pod(gpus=2, priority=high)

    assert world.is_bound(single)
    assert victim.is_released()
