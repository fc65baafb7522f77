"""Room for all but one pod. A JobSet that is a gang takes none of it, until there is room for all."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "The pods of a JobSet that is a gang MUST all be bound at once, or none of them, over all its jobs and replicas.",
    clauses=["JSG-28"],
)
def test_jobset_starts_whole_or_not_at_all(world: World) -> None:
    world.nodes(1, gpus=4)
    live = world.submit(JobSet(ReplicatedJob("driver", pods=1), ReplicatedJob("worker", replicas=2, pods=2), mode=GANG))
    assert live.is_prepared()
    assert live.has_pods(5)
    assert live.is_refused()

    world.nodes(1, gpus=1)
    assert live.is_bound_whole()
