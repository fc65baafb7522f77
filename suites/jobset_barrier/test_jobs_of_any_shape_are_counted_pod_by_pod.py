"""How many pods are expected is arithmetic over the JobSet: replicas times pods, over the targets, and no more."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "The signal MUST wait for replicas times pods of every target, and for no pod besides.",
    clauses=["BAR-10", "BAR-14"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_jobs_of_any_shape_are_counted_pod_by_pod(world: World) -> None:
    world.nodes(1, gpus=7)
    jobs = (
        ReplicatedJob("wide", pods=3, replicas=2), ReplicatedJob("narrow", pods=2), ReplicatedJob("none", replicas=0),
        ReplicatedJob("beside", pods=2, gpus=0, member=False),
    )  # fmt: skip
    jobset = BarrierSet(world, "shapes", *jobs, targets=["wide", "narrow", "none"]).submit()
    assert jobset.has_waiting(7)
    assert jobset.stays_held()
    world.nodes(1, gpus=1, name="late")
    assert jobset.is_released()
