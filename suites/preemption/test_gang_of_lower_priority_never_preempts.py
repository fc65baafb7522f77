"""The wrong way round."""

from harness import Gang, World, case


@case(
    "A gang MUST NOT evict pods of higher priority.",
    clauses=["GANG-21"],
)
def test_gang_of_lower_priority_never_preempts(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(2, gpus=4)
    running = world.submit(Gang("running", size=4, gpus=2, priority=high))
    assert running.is_bound_whole()
    running.must_stay_untouched()

    lesser = world.submit(Gang("lesser", size=4, gpus=2, priority=low))

    assert lesser.is_refused()
    assert lesser.stays_pending()
