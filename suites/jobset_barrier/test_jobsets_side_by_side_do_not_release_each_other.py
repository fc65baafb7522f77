"""Two JobSets of the same shape in one namespace: the one that is whole passes, the other waits."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "A JobSet MUST NOT be released by the signal or the pods of another one.",
    clauses=["BAR-28"],
)
def test_jobsets_side_by_side_do_not_release_each_other(world: World) -> None:
    world.nodes(1, gpus=4)
    lacking = world.submit(BarrierJobSet(ReplicatedJob(), ReplicatedJob("tail", gpus=5), name="train"))
    assert lacking.has_waiting(1)
    whole = world.submit(BarrierJobSet(ReplicatedJob(pods=2), ReplicatedJob("tail"), name="train-b"))
    assert whole.has_passed()
    assert lacking.stays_held()
    world.nodes(1, gpus=5, name="late")
    assert lacking.has_passed()
