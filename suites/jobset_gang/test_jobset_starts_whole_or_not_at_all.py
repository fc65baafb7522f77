"""Room for all but one pod. A JobSet that is a gang takes none of it, until there is room for all."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "The pods of a JobSet that is a gang MUST all be bound at once, or none of them, over all its jobs and replicas.",
    clauses=["JSG-28"],
)
def test_jobset_starts_whole_or_not_at_all(world: World) -> None:
    world.nodes(1, gpus=4)
    jobset = world.submit(
        JobSet(ReplicatedJob("driver", pods=1), ReplicatedJob("worker", replicas=2, pods=2), mode=GANG)
    )
    assert jobset.is_prepared()
    assert jobset.has_pods(5)
    assert jobset.is_refused()

    world.nodes(1, gpus=1)
    assert jobset.is_bound_whole()
