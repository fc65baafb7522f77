"""Several models train side by side, each in a Job replica of its own: whole each, but independent of one another."""

from harness.cases.language import REPLICATED, JobSet, ReplicatedJob, World, case


@case(
    "A job whose replicas are gangs MUST get one group with the pods of one replica, and pods MUST name their replica.",
    clauses=["JSG-02", "JSG-15", "JSG-16", "JSG-17", "JSG-18", "JSG-19", "JSG-36"],
)
def test_replica_gangs_share_a_group(world: World) -> None:
    world.nodes(2, gpus=4)
    jobset = world.submit(JobSet(ReplicatedJob("worker", replicas=3, pods=2, mode=REPLICATED)))
    assert jobset.is_prepared()
    assert jobset.is_bound_whole()

    names = [workload["metadata"]["name"] for workload in jobset.workloads()]
    assert world.finds("there is one Workload", names, equals=["w-train"])
    groups = jobset.groups()
    assert world.finds("its group has the pods of a replica", groups, equals={"pg-worker": {"gang": {"minCount": 2}}})
    for index in range(3):
        assert jobset.refers_to("pg-worker", "worker", index)
    references = jobset.references("worker")
    assert world.finds("each replica names a gang of its own", references, count=3)
