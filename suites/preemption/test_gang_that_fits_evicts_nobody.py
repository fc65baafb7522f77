"""There is room. Priority is no reason to put anybody out."""

from harness import Gang, World, case


@case(
    "A gang of higher priority for which there is room MUST NOT evict anything.",
    clauses=["GANG-20", "GANG-21"],
)
def test_gang_that_fits_evicts_nobody(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(2, gpus=4)
    running = world.submit(Gang("running", size=2, gpus=2, priority=low))
    assert running.is_bound_whole()
    running.must_stay_untouched()

    gang = world.submit(Gang("urgent", size=2, gpus=2, priority=high))

    assert gang.is_bound_whole()
