"""Somebody who knows better writes the Workload by hand: two of three pods are enough to start with."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "A Workload that the user made MUST be used as it is, MUST remain the only one, and MUST stay without its JobSet.",
    clauses=["JSG-05", "JSG-08"],
)
def test_workload_of_the_user_is_used_as_it_is(world: World) -> None:
    world.nodes(1, gpus=2)
    native = world.native
    mine = world.objects.create(native.workload("w-train", {"pg-train": native.gang_policy(2)}))
    jobset = world.submit(JobSet(ReplicatedJob("worker", pods=3), mode=GANG, quorum=2))
    assert jobset.gang.reaches_quorum()

    workloads = jobset.workloads()
    assert world.finds("it is the only Workload", workloads, count=1)
    assert world.finds("its spec is as it was", workloads[0]["spec"], equals=mine["spec"])
    jobset.delete()
    assert world.sees("the pods of the JobSet are gone", jobset.pods, "gone", count=0)
    later = world.submit(JobSet(ReplicatedJob("worker", pods=1), name="later", mode=GANG))
    assert later.is_prepared()
    left = [workload["metadata"]["uid"] for workload in jobset.workloads() if workload["metadata"]["name"] == "w-train"]
    assert world.finds("the Workload is still there", left, equals=[mine["metadata"]["uid"]])
