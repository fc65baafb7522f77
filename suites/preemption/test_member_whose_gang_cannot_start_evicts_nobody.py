"""A place is free, a place could be made free, and a third one cannot: the member that could evict must not."""

from harness import Gang, World, case


@case(
    "A member that could be placed by eviction MUST NOT evict anybody while its gang cannot start.",
    clauses=["GANG-20", "WL-70", "WL-76"],
    level="extended",
)
def test_member_whose_gang_cannot_start_evicts_nobody(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(3, gpus=2)
    equal = world.pod(gpus=2, priority=high)
    running = world.submit(Gang("running", size=1, gpus=2, priority=low))
    assert world.is_bound(equal)
    assert running.is_bound_whole()
    running.must_stay_untouched()

    gang = world.submit(Gang("urgent", size=3, gpus=2, priority=high))

    assert gang.is_refused()
    assert gang.stays_pending()
    assert world.stand("the pod of lower priority keeps its node", running, least=1)
