"""The controller looks at leaders; that a follower came last it can only know by looking again."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case

INDEX = "batch.kubernetes.io/job-completion-index"


@case(
    "A pod other than the leader that starts last MUST bring the signal, for the controller looks again.",
    clauses=["BAR-12", "BAR-13"],
)
def test_follower_that_starts_last_gives_the_signal(world: World) -> None:
    world.nodes(1, gpus=2)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=3), name="led"))
    assert jobset.has_waiting(2)
    leaders = [pod["metadata"]["name"] for pod in jobset.pods() if pod["metadata"]["labels"].get(INDEX) == "0"]
    assert world.claim("the leader is among those that wait", set(leaders) <= set(jobset.waiting()) or None)
    assert jobset.stays_held()
    world.nodes(1, gpus=1, name="late")
    assert jobset.has_passed()
