"""A driver that is one gang beside workers of which each replica is one: two levels, one JobSet, one Workload."""

from harness.cases.language import GANG, REPLICATED, JobSet, ReplicatedJob, World, case


@case(
    "Jobs of one JobSet MAY ask for gangs of different levels and share a Workload.",
    clauses=["JSG-21", "JSG-02"],
)
def test_levels_can_be_mixed_over_jobs(world: World) -> None:
    world.nodes(2, gpus=4)
    jobset = world.submit(
        JobSet(ReplicatedJob("driver", pods=2, mode=GANG), ReplicatedJob("worker", replicas=2, pods=3, mode=REPLICATED))
    )
    assert jobset.is_prepared()
    assert jobset.is_bound_whole()

    names = [workload["metadata"]["name"] for workload in jobset.workloads()]
    assert world.finds("there is one Workload", names, equals=["w-train"])
    groups = jobset.groups()
    expected = {"pg-driver": {"gang": {"minCount": 2}}, "pg-worker": {"gang": {"minCount": 3}}}
    assert world.finds("it has a group for each job", groups, equals=expected)
