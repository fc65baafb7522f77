"""The user's Workload has a name of its own and says in its controllerRef which JobSet it is for."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "A Workload whose controllerRef names the JobSet MUST be used, whatever it is called, and no second one made.",
    clauses=["JSG-05"],
)
def test_workload_that_points_to_the_jobset_is_used(world: World) -> None:
    world.nodes(1, gpus=2)
    target = {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": "train"}
    world.objects.create(
        world.native.workload("by-hand", {"pg-train": world.native.gang_policy(2)}, controllerRef=target)
    )
    jobset = world.submit(JobSet(ReplicatedJob("worker", pods=3), mode=GANG, quorum=2))
    assert jobset.gang.reaches_quorum()

    later = world.submit(JobSet(ReplicatedJob("worker", pods=1, gpus=0), name="later", mode=GANG))
    assert later.is_prepared()
    names = [workload["metadata"]["name"] for workload in jobset.workloads()]
    assert world.finds("no second Workload was made for it", names, equals=["by-hand", "w-later"])
