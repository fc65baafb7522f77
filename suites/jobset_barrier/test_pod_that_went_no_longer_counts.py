"""A pod that started and was lost before the others came is missing again."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "A pod that started and went before the signal MUST NOT count: its replacement has to start.",
    clauses=["BAR-10", "BAR-11"],
    disturbs="nodes",
)
def test_pod_that_went_no_longer_counts(world: World) -> None:
    _, late = world.nodes(2, gpus=1)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=3, retries=5), name="lost"))
    assert jobset.has_waiting(2)
    assert jobset.stays_held()
    world.cluster.cordon(late)
    lost = next(pod for pod in jobset.pods() if pod["spec"].get("nodeName") == late)["metadata"]["name"]
    world.delete(lost)
    assert world.sees("one pod is left waiting", jobset.waiting, "gone", count=1)
    world.nodes(1, gpus=1, name="third")
    assert jobset.has_waiting(2)
    assert jobset.stays_held()
    world.cluster.uncordon(late)
    assert jobset.has_passed()
