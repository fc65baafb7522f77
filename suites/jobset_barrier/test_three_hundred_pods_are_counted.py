"""Story 1 of the design, at its size: three replicas of a hundred pods wait for the last one."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "Three replicas of a hundred pods MUST be held until three hundred pods have started.",
    clauses=["BAR-29"], needs=["jobset-barrier"], profile="JOBSET-BARRIER", level="extended",
)  # fmt: skip
def test_three_hundred_pods_are_counted(world: World) -> None:
    world.nodes(2, gpus=100)
    world.nodes(1, gpus=99, name="short")
    jobset = BarrierSet(world, "story", ReplicatedJob(pods=100, replicas=3)).submit()
    assert jobset.has_waiting(299)
    assert jobset.stays_held()
    world.nodes(1, gpus=1, name="late")
    assert jobset.is_released()
