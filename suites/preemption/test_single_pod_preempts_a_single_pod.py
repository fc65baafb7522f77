"""What worked before there were gangs works still."""

from harness.case import case
from harness.world import World


@case(
    "A pod of no gang MUST evict a pod of lower priority where that lets it start.",
    clauses=["GANG-12", "WL-72"],
    needs=["gang", "preemption"],
    profile="GANG-PREEMPTION",
)
def test_single_pod_preempts_a_single_pod(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(1, gpus=2)
    filler = world.pod(gpus=2, priority=low)
    assert world.starts(filler)

    urgent = world.pod(gpus=2, priority=high)

    assert world.starts(urgent)
