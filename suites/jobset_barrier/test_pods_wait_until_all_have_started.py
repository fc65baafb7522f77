"""The heart of the design: early pods wait in their init container for the last one, then all begin."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "Pods of a JobSet MUST wait in their init container until all of them have started, and then all go on.",
    clauses=["BAR-05", "BAR-06", "BAR-10", "BAR-11", "BAR-15", "BAR-23"],
)
def test_pods_wait_until_all_have_started(world: World) -> None:
    world.nodes(1, gpus=3)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=2, replicas=2), name="early"))
    assert jobset.has_waiting(3)
    assert jobset.stays_held()
    world.nodes(1, gpus=1, name="late")
    assert jobset.has_passed()
