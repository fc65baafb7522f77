"""The user's Workload lacks the group that the JobSet asks for. Its pods cannot start; somebody has to say so."""

from harness.case import case
from harness.jobsets import GANG, job, submit
from harness.native import Native, gang_policy
from harness.world import World


@case(
    "A user's Workload that lacks the group MUST be left alone, and the controller SHOULD say what is missing.",
    clauses=["JSG-05"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
    level="extended",
    strength="SHOULD",
)
def test_workload_without_the_group_is_reported(world: World) -> None:
    world.nodes(1, gpus=4)
    mine = world.create(Native(world).workload("w-train", {"something-else": gang_policy(2)}))
    live = submit(world, job(pods=2), mode=GANG)

    def warned() -> bool:
        return any(event["type"] == "Warning" and "pg-train" in event["message"] for event in live.events())

    assert world.sees("a warning about the JobSet names the missing group", warned)
    specs = [one["spec"] for one in live.workloads()]
    assert world.claim("the Workload is as it was", specs == [mine["spec"]], str(specs))
    assert live.has_pods(2)
    assert live.gang.stays_unbound()
