"""The controller looks at leaders; that a follower came last it can only know by looking again."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World

INDEX = "batch.kubernetes.io/job-completion-index"


@case(
    "A pod other than the leader that starts last MUST bring the signal, for the controller looks again.",
    clauses=["BAR-12", "BAR-13"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_follower_that_starts_last_gives_the_signal(world: World) -> None:
    world.nodes(1, gpus=2)
    jobset = BarrierSet(world, "led", ReplicatedJob(pods=3)).submit()
    assert jobset.has_waiting(2)
    leaders = [pod["metadata"]["name"] for pod in jobset.pods() if pod["metadata"]["labels"].get(INDEX) == "0"]
    assert world.claim("the leader is among those that wait", set(leaders) <= set(jobset.waiting()) or None)
    assert jobset.stays_held()
    world.nodes(1, gpus=1, name="late")
    assert jobset.is_released()
