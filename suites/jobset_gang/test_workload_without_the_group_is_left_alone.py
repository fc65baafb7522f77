"""The user's Workload is the user's, also when it does not fit the JobSet."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "A user's Workload that lacks the group MUST be left alone, and nothing be bound.",
    clauses=["JSG-05"],
    level="extended",
)
def test_workload_without_the_group_is_left_alone(world: World) -> None:
    world.nodes(1, gpus=4)
    mine = world.objects.create(world.native.workload("w-train", {"something-else": world.native.gang_policy(2)}))
    jobset = world.submit(JobSet(ReplicatedJob("worker", pods=2), mode=GANG))
    assert jobset.has_pods(2)
    assert jobset.must_stay_unbound()
    later = world.submit(JobSet(ReplicatedJob("worker", pods=1), name="later", mode=GANG))
    assert later.is_prepared()
    specs = {workload["metadata"]["name"]: workload["spec"] for workload in jobset.workloads()}
    assert world.finds("the Workload is as it was", specs["w-train"], equals=mine["spec"])
    assert world.finds("there is no second one for it", set(specs), equals={"w-train", "w-later"})
