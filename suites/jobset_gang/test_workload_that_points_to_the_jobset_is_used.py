"""The user's Workload has a name of its own and says in its controllerRef which JobSet it is for."""

from harness.case import case
from harness.jobsets import GANG, job, submit
from harness.native import Native, gang_policy
from harness.world import World


@case(
    "A Workload whose controllerRef names the JobSet MUST be used, whatever it is called, and no second one made.",
    clauses=["JSG-05"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_workload_that_points_to_the_jobset_is_used(world: World) -> None:
    world.nodes(1, gpus=2)
    target = {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": "train"}
    world.create(Native(world).workload("by-hand", {"pg-train": gang_policy(2)}, controllerRef=target))
    live = submit(world, job(pods=3), mode=GANG, quorum=2)
    assert live.gang.reaches_quorum()

    later = submit(world, job(pods=1, gpus=0), name="later", mode=GANG)
    assert later.is_prepared()
    names = [one["metadata"]["name"] for one in live.workloads()]
    assert world.claim("no second Workload was made for it", names == ["by-hand", "w-later"], str(names))
