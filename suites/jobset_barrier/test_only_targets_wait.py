"""Story 2 of the design: workers start together, auxiliary pods when they like."""

from harness.cases.language import INIT, BarrierJobSet, ReplicatedJob, World, case


@case(
    "Only pods of the targets MUST wait; those of other replicated jobs start freely and are not counted.",
    clauses=["BAR-03", "BAR-11", "BAR-29"],
)
def test_only_targets_wait(world: World) -> None:
    world.nodes(1, gpus=1)
    jobs = ReplicatedJob("workers", pods=2), ReplicatedJob("auxiliary", pods=2, gpus=0, member=False)
    jobset = world.submit(BarrierJobSet(*jobs, name="story", targets=["workers"]))
    assert world.sees("auxiliary pods run", lambda: jobset.running("auxiliary"), count=2)
    assert jobset.has_waiting(1)
    assert jobset.stays_held()
    free = [pod["metadata"]["name"] for pod in jobset.pods("auxiliary") if INIT in str(pod["spec"])]
    assert world.finds("auxiliary pods have no waiting container", free, count=0)
    world.nodes(1, gpus=1, name="late")
    assert jobset.has_passed()
