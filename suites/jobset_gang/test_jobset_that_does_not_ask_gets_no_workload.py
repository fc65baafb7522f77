"""Most JobSets want no gangs. That nothing is made for them shows when a later one that asks has all it needs."""

from harness.cases.language import GANG, OFF, JobSet, ReplicatedJob, World, case


@case(
    "A JobSet without gangConfig, or with Off at both levels, MUST get no Workload and no references.",
    clauses=["JSG-03", "JSG-04"],
)
def test_jobset_that_does_not_ask_gets_no_workload(world: World) -> None:
    world.nodes(1, gpus=4)
    silent = world.submit(JobSet(ReplicatedJob("worker", pods=2), name="silent"))
    off = world.submit(JobSet(ReplicatedJob("worker", pods=2, mode=OFF), name="off", mode=OFF))
    for jobset in (silent, off):
        assert jobset.has_pods(2)
        assert world.is_bound(*(pod["metadata"]["name"] for pod in jobset.pods()))
    later = world.submit(JobSet(ReplicatedJob("worker", pods=1, gpus=0), name="later", mode=GANG))
    assert later.is_prepared()

    names = [workload["metadata"]["name"] for workload in later.workloads()]
    assert world.finds("only the JobSet that asks has a Workload", names, equals=["w-later"])
    for jobset in (silent, off):
        gangs = {"references": jobset.references(), "objects": list(jobset.pod_groups())}
        assert world.finds(f"pods of {jobset.name} name no gang", gangs, equals={"references": [{}], "objects": []})
