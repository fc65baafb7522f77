"""Two users call their jobs the same. Neither has room; together their pods would fill a gang of one of them."""

from harness.cases.language import GANG, REPLICATED, JobSet, ReplicatedJob, World, case


@case(
    "Jobs of the same name in two JobSets MUST be gangs of their own, which do not count for each other.",
    clauses=["JSG-14", "JSG-16", "JSG-36"],
)
def test_gangs_of_two_jobsets_do_not_mix(world: World) -> None:
    world.nodes(1, gpus=3)
    first = world.submit(JobSet(ReplicatedJob("worker", pods=2, gpus=2, mode=GANG), name="first"))
    second = world.submit(JobSet(ReplicatedJob("worker", pods=2, gpus=2, mode=REPLICATED), name="second"))
    third = world.submit(JobSet(ReplicatedJob("worker", pods=2, gpus=2), name="second-worker", mode=GANG))
    jobsets = (first, second, third)
    for jobset in jobsets:
        assert jobset.is_prepared()
        assert jobset.has_pods(2)
        assert jobset.is_refused()
    references = [str(reference) for jobset in jobsets for reference in jobset.references()]
    assert world.finds("each names a gang of its own", set(references), count=3)

    world.nodes(1, gpus=10)
    for jobset in jobsets:
        assert jobset.is_bound_whole()
