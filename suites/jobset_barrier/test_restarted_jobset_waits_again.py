"""A signal is for one attempt: after a restart the ConfigMap is empty and the new pods wait for each other again."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "After a restart of the JobSet its barrier MUST stand again, until all new pods have started.",
    clauses=["BAR-26", "BAR-11"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_restarted_jobset_waits_again(world: World) -> None:
    _, late = world.nodes(2, gpus=2)
    jobset = BarrierSet(world, "again", ReplicatedJob(pods=2, replicas=2), restarts=3).submit()
    assert jobset.is_released()
    first = {pod["metadata"]["uid"] for pod in jobset.pods()}
    world.cordon(late)
    world.delete_pod(jobset.pods()[0]["metadata"]["name"])
    assert world.sees("the JobSet restarts", lambda: jobset.restarts == 1, "projected")
    assert world.sees(
        "new pods wait",
        lambda: len(jobset.waiting()) == 2 and not first & {pod["metadata"]["uid"] for pod in jobset.pods()},
        "projected",
    )
    assert jobset.stays_held()
    world.uncordon(late)
    assert jobset.is_released()
