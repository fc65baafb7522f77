"""Inside one replicated job there is no order to break: its pods wait for each other, then the next job may start."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "Starting in order with a barrier inside one replicated job MUST be accepted, and both be kept.",
    clauses=["BAR-22"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_start_in_order_goes_with_a_barrier_inside_one_job(world: World) -> None:
    world.nodes(1, gpus=1)
    jobs = ReplicatedJob("first", pods=2), ReplicatedJob("second", gpus=0, member=False)
    jobset = BarrierSet(world, "ordered", *jobs, in_order=True, targets=["first"]).submit()
    assert jobset.has_waiting(1)
    assert jobset.stays_held()
    assert world.claim("the second job has not begun", not jobset.pods("second"))
    world.nodes(1, gpus=1, name="late")
    assert jobset.is_released()
    assert world.sees("the second job runs then", lambda: len(jobset.running("second")) == 1, "projected")
