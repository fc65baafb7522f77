"""Two users call their jobs the same. Neither has room; together their pods would fill a gang of one of them."""

from harness.case import case
from harness.jobsets import GANG, REPLICATED, job, submit
from harness.world import World


@case(
    "Jobs of the same name in two JobSets MUST be gangs of their own, which do not count for each other.",
    clauses=["JSG-14", "JSG-16", "JSG-36"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_gangs_of_two_jobsets_do_not_mix(world: World) -> None:
    world.nodes(1, gpus=3)
    first = submit(world, job("worker", pods=2, gpus=2, mode=GANG), name="first")
    second = submit(world, job("worker", pods=2, gpus=2, mode=REPLICATED), name="second")
    third = submit(world, job("worker", pods=2, gpus=2), name="second-worker", mode=GANG)
    lives = (first, second, third)
    for live in lives:
        assert live.is_prepared()
        assert live.has_pods(2)
        assert live.gang.is_refused()
    said = [str(reference) for live in lives for reference in live.references()]
    assert world.claim("each names a gang of its own", len(set(said)) == 3, str(said))

    world.nodes(1, gpus=10)
    for live in lives:
        assert live.gang.is_bound_whole()
