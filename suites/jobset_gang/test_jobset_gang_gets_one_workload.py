"""The plainest request: all pods of the JobSet are one gang, though its jobs differ. Everything else varies this."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "A JobSet that asks to be a gang MUST get one Workload with one group of all its pods, and every pod names it.",
    clauses=["JSG-01", "JSG-02", "JSG-10", "JSG-11", "JSG-12", "JSG-17", "JSG-18", "JSG-19", "JSG-36"],
)
def test_jobset_gang_gets_one_workload(world: World) -> None:
    world.nodes(2, gpus=4)
    jobset = world.submit(
        JobSet(ReplicatedJob("driver", pods=1), ReplicatedJob("worker", replicas=2, pods=3), mode=GANG)
    )
    assert jobset.is_prepared()
    assert jobset.is_bound_whole()

    names = [workload["metadata"]["name"] for workload in jobset.workloads()]
    assert world.finds("there is one Workload, called after the JobSet", names, equals=["w-train"])
    groups, expected = jobset.groups(), {"pg-train": {"gang": {"minCount": 7}}}
    assert world.finds("it has one group, a gang of all seven pods", groups, equals=expected)
    back, reference = jobset.workload()["spec"].get("controllerRef"), {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet"}
    assert world.finds("it points back to the JobSet", back, equals={**reference, "name": "train"})
    assert jobset.refers_to("pg-train")
