"""Driver and workers may start apart, but each of them whole. The replicas of a job make no difference to its pods."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "Each job that asks to be a gang MUST get a group of its own with the pods of all its replicas, in one Workload.",
    clauses=["JSG-02", "JSG-13", "JSG-14", "JSG-17", "JSG-18", "JSG-19", "JSG-36"],
)
def test_job_gangs_get_a_group_each(world: World) -> None:
    world.nodes(2, gpus=4)
    driver, worker = ReplicatedJob("driver", pods=3, mode=GANG), ReplicatedJob("worker", replicas=2, pods=2, mode=GANG)
    jobset = world.submit(JobSet(driver, worker))
    assert jobset.is_prepared()
    assert jobset.is_bound_whole()

    names = [workload["metadata"]["name"] for workload in jobset.workloads()]
    assert world.finds("there is one Workload", names, equals=["w-train"])
    groups = jobset.groups()
    policies = {"pg-driver": {"gang": {"minCount": 3}}, "pg-worker": {"gang": {"minCount": 4}}}
    assert world.finds("it has a group for each job, with the pods of all replicas", groups, equals=policies)
    for name in ("driver", "worker"):
        assert jobset.refers_to(f"pg-{name}", name)
