"""Story 1 of the design, at its size: three replicas of a hundred pods wait for the last one."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "Three replicas of a hundred pods MUST be held until three hundred pods have started.",
    clauses=["BAR-29"],
    level="extended",
)
def test_three_hundred_pods_are_counted(world: World) -> None:
    world.nodes(2, gpus=100)
    world.nodes(1, gpus=99, name="short")
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=100, replicas=3), name="story"))
    assert jobset.has_waiting(299)
    assert jobset.stays_held()
    world.nodes(1, gpus=1, name="late")
    assert jobset.has_passed()
