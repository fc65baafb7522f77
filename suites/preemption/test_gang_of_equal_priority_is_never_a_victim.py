"""Equal is not lower."""

from harness import Gang, World, case


@case(
    "A gang MUST NOT evict pods of its own priority.",
    clauses=["GANG-21"],
)
def test_gang_of_equal_priority_is_never_a_victim(world: World) -> None:
    same = world.priority("same", 10)
    world.nodes(2, gpus=4)
    running = world.submit(Gang("running", size=4, gpus=2, priority=same))
    assert running.is_bound_whole()
    running.must_stay_untouched()

    second = world.submit(Gang("second", size=4, gpus=2, priority=same))

    assert second.is_refused()
    assert second.stays_pending()
