"""Who makes something cleans it up, and does so by owner references: that works without the controller, too."""

from harness.cases.language import GANG, REPLICATED, JobSet, ReplicatedJob, World, case


@case(
    "A Workload that the controller made MUST belong to its JobSet and MUST go with it.",
    clauses=["JSG-07"],
)
def test_workload_goes_with_its_jobset(world: World) -> None:
    world.nodes(1, gpus=8)
    jobset = world.submit(
        JobSet(ReplicatedJob("driver", pods=1, mode=GANG), ReplicatedJob("worker", replicas=2, pods=2, mode=REPLICATED))
    )
    other = world.submit(JobSet(ReplicatedJob("worker", pods=1), name="other", mode=GANG))
    assert jobset.is_prepared()
    assert other.is_prepared()

    owners = jobset.workload()["metadata"].get("ownerReferences") or []
    uids = [owner["uid"] for owner in owners if owner.get("controller")]
    assert world.finds("its Workload belongs to it", uids, equals=[jobset.object["metadata"]["uid"]])
    jobset.delete()
    assert jobset.is_gone()
    names = [workload["metadata"]["name"] for workload in other.workloads()]
    assert world.finds("the Workload of another JobSet stays", names, equals=["w-other"])
