"""The barrier is for the start of an attempt. A pod that replaces one later finds the others at work, and joins."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "A pod that replaces one after the signal MUST start by itself, in the same attempt.",
    clauses=["BAR-15"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_replacement_joins_pods_that_were_released(world: World) -> None:
    world.nodes(1, gpus=3)
    jobset = BarrierSet(world, "joined", ReplicatedJob(pods=3, retries=5)).submit()
    assert jobset.is_released()
    lost = jobset.pods()[-1]["metadata"]
    world.delete_pod(lost["name"])

    def joined() -> bool:
        pods = {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in jobset.pods()}
        return len(pods) == 3 and lost["uid"] not in pods.values() and set(jobset.running()) == set(pods)

    assert world.sees("all run again, one of them new", joined, "projected")
    assert world.claim("it is the same attempt", jobset.restarts == 0)
