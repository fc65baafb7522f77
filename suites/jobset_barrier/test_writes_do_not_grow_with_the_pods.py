"""The ConfigMap is written to as often for two pods as for twenty-four; how long the signal takes is told."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "The writes of a barrier SHOULD NOT grow with the number of pods, and the signal follow the last start soon.",
    clauses=["BAR-30", "BAR-17"],
)
def test_writes_do_not_grow_with_the_pods(world: World) -> None:
    world.nodes(4, gpus=8)
    small = world.submit(BarrierJobSet(ReplicatedJob(pods=2), name="small"))
    large = world.submit(BarrierJobSet(ReplicatedJob(pods=12, replicas=2), name="large"))
    assert small.has_passed()
    assert large.has_passed()
    writes = {jobset.name: jobset.figures()[0] for jobset in (small, large)}
    assert world.finds("both ConfigMaps were written to equally often", set(writes.values()), count=1)
    _, seconds, _ = large.figures()
    allowed = world.deadline("recounted")
    assert world.finds("the signal follows the last of 24 pods soon", seconds, most=allowed)
