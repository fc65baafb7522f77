"""What worked before there were gangs works still."""

from harness import World, case


@case(
    "A pod of no gang MUST evict a pod of lower priority where that lets it start.",
    clauses=["GANG-12", "WL-72"],
)
def test_single_pod_preempts_a_single_pod(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(1, gpus=2)
    filler = world.pod(gpus=2, priority=low)
    assert world.is_bound(filler)

    urgent = world.pod(gpus=2, priority=high)

    assert world.is_bound(urgent)
