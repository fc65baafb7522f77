"""Followers that all wait are not enough; the leader that the controller looks at may be the last to come."""

from harness.cases.language import BarrierJobSet, Object, ReplicatedJob, World, case

INDEX = "batch.kubernetes.io/job-completion-index"


@case(
    "While the leader of a Job is not placed no signal MUST be given, though all others wait; its start brings it.",
    clauses=["BAR-12", "BAR-10"],
    disturbs="nodes",
)
def test_leader_that_starts_last_gives_the_signal(world: World) -> None:
    first, _ = world.nodes(2, gpus=1)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=3, retries=5), name="leaderless"))
    assert jobset.has_waiting(2)
    leader = next(pod for pod in jobset.pods() if pod["metadata"]["labels"].get(INDEX) == "0")
    node = leader["spec"].get("nodeName", first)
    world.cluster.cordon(node)
    world.delete(leader["metadata"]["name"])
    world.nodes(1, gpus=1, name="second")
    placeless = "a new leader is not placed"
    assert world.sees(placeless, lambda: [pod for pod in jobset.pods() if _is_placeless_leader(pod)], count=1)
    assert jobset.has_waiting(2)
    assert jobset.stays_held()
    world.cluster.uncordon(node)
    assert jobset.has_passed()


def _is_placeless_leader(pod: Object) -> bool:
    return pod["metadata"]["labels"].get(INDEX) == "0" and not pod["spec"].get("nodeName")
