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
    incarnations = (first, second, third)
    for live in incarnations:
        assert live.is_prepared()
        assert live.has_pods(2)
        assert live.is_refused()
    references = [str(reference) for live in incarnations for reference in live.references()]
    assert world.finds("each names a gang of its own", set(references), count=3)

    world.nodes(1, gpus=10)
    for live in incarnations:
        assert live.is_bound_whole()
