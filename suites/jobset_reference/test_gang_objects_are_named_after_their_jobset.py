"""A user who looks for the object of a gang finds it by its JobSet, its job and its replica."""

from harness.cases.language import GANG, REPLICATED, JobSet, ReplicatedJob, World, case


@case(
    "Objects of gangs SHOULD be named after their JobSet, their job and their replica, counted from zero.",
    clauses=["REF-10"],
    needs=["jobset-gang"],
    kubernetes=">=1.36",
)
def test_gang_objects_are_named_after_their_jobset(world: World) -> None:
    world.nodes(2, gpus=4)
    split = world.submit(
        JobSet(ReplicatedJob("driver", pods=3, mode=GANG), ReplicatedJob("worker", replicas=2, pods=2, mode=REPLICATED))
    )
    whole = world.submit(JobSet(ReplicatedJob("only", pods=1), name="whole", mode=GANG))
    expected = {
        split: ["pg-train.driver", "pg-train.worker.0", "pg-train.worker.1"],
        whole: ["pg-whole"],
    }
    for jobset, names in expected.items():
        assert jobset.is_prepared()
        objects = sorted(jobset.pod_groups())
        assert world.finds(f"the gangs of {jobset.name} have their names", objects, equals=names)
