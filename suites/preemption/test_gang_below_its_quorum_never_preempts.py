"""Half of the gang is not there. Victims for the other half would fall for nothing."""

from harness import Gang, World, case


@case(
    "A gang of which fewer members exist than its quorum MUST NOT evict anything.",
    clauses=["GANG-09", "GANG-20", "WL-29"],
)
def test_gang_below_its_quorum_never_preempts(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(2, gpus=4)
    running = world.submit(Gang("running", size=4, gpus=2, priority=low))
    assert running.is_bound_whole()
    running.must_stay_untouched()

    early = world.submit(Gang("early", size=4, gpus=2, priority=high, missing=2))

    assert early.stays_pending()
    assert world.stand("the running gang keeps its nodes", running, least=4)
