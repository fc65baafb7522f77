"""Somebody who knows better writes the Workload by hand: two of three pods are enough to start with."""

from harness.case import case
from harness.jobsets import GANG, job, submit
from harness.native import Native, gang_policy
from harness.world import World


@case(
    "A Workload that the user made MUST be used as it is, MUST remain the only one, and MUST stay without its JobSet.",
    clauses=["JSG-05", "JSG-08"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_workload_of_the_user_is_used_as_it_is(world: World) -> None:
    world.nodes(1, gpus=2)
    native = Native(world)
    mine = world.create(native.workload("w-train", {"pg-train": gang_policy(2)}))
    live = submit(world, job(pods=3), mode=GANG, quorum=2)
    assert live.gang.reaches_quorum()

    found = live.workloads()
    assert world.claim("it is the only Workload", len(found) == 1, str(len(found)))
    assert world.claim("its spec is as it was", found[0]["spec"] == mine["spec"], str(found[0]["spec"]))
    live.remove()
    assert world.sees("the pods of the JobSet are gone", lambda: not live.pods(), "gone")
    later = submit(world, job(pods=1), name="later", mode=GANG)
    assert later.is_prepared()
    left = [one["metadata"]["uid"] for one in live.workloads() if one["metadata"]["name"] == "w-train"]
    assert world.claim("the Workload is still there", left == [mine["metadata"]["uid"]], str(left))
