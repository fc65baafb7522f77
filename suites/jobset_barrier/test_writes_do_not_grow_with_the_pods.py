"""One write makes the ConfigMap, one gives the signal, for two pods as for twenty-four; how long it takes is told."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "The writes of a barrier SHOULD NOT grow with the number of pods, and the signal follow the last start soon.",
    clauses=["BAR-30", "BAR-17"], needs=["jobset-barrier"], profile="JOBSET-BARRIER", strength="SHOULD",
)  # fmt: skip
def test_writes_do_not_grow_with_the_pods(world: World) -> None:
    world.nodes(4, gpus=8)
    small = BarrierSet(world, "small", ReplicatedJob(pods=2)).submit()
    large = BarrierSet(world, "large", ReplicatedJob(pods=12, replicas=2)).submit()
    assert small.is_released()
    assert large.is_released()
    writes = {one.name: one.writes_to_config_map() for one in (small, large)}
    assert world.claim("both ConfigMaps were made and written to once", set(writes.values()) == {2}, str(writes))
    seconds = large.seconds_from_last_start_to_signal()
    allowed = world.deadline("recounted")
    assert world.claim(
        "the signal follows soon", seconds <= allowed, f"{seconds:.2f} s after the last of 24 pods started"
    )
