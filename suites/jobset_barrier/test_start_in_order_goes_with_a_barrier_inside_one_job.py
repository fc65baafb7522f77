"""Inside one replicated job there is no order to break: its pods wait for each other, then the next job may start."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "Starting in order with a barrier inside one replicated job MUST be accepted, and both be kept.",
    clauses=["BAR-22"],
)
def test_start_in_order_goes_with_a_barrier_inside_one_job(world: World) -> None:
    world.nodes(1, gpus=1)
    jobs = ReplicatedJob("first", pods=2), ReplicatedJob("second", gpus=0, member=False)
    jobset = world.submit(BarrierJobSet(*jobs, name="ordered", in_order=True, targets=["first"]))
    assert jobset.has_waiting(1)
    assert jobset.stays_held()
    assert world.finds("the second job has not begun", jobset.pods("second"), count=0)
    world.nodes(1, gpus=1, name="late")
    assert jobset.has_passed()
    assert world.sees("the second job runs then", lambda: jobset.running("second"), "projected", count=1)
