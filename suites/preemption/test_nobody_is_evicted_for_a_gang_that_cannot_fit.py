"""Evicting everybody would still not be enough. A scheduler that goes pod by pod finds out after the first victims."""

from harness import Gang, World, case


@case(
    "For a gang that would not fit even in an empty cluster nothing MUST be evicted.",
    clauses=["GANG-20", "WL-70", "WL-76"],
)
def test_nobody_is_evicted_for_a_gang_that_cannot_fit(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(2, gpus=4)
    running = world.submit(Gang("running", size=4, gpus=2, priority=low))
    assert running.is_bound_whole()
    running.must_stay_untouched()

    giant = world.submit(Gang("giant", size=5, gpus=2, priority=high))

    assert giant.is_refused()
    assert giant.stays_pending()
    assert world.stand("the running gang keeps its nodes", running, least=4)
