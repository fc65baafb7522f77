"""Room appears on a new node before the victims are gone: the gang may take it, and nobody else may fall for it."""

from harness import Gang, World, case


@case(
    "A gang whose victims are leaving MUST NOT evict others when room appears, and MUST be bound whole.",
    clauses=["GANG-21", "WL-74"],
    level="extended",
)
def test_gang_may_start_elsewhere_while_victims_leave(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    fillers = [world.pod(gpus=2, priority=low, alter=world.faults.delay_deletion) for _ in range(4)]
    assert world.is_bound(*fillers)
    gang = world.submit(Gang("urgent", size=2, gpus=2, priority=high))
    evicted = world.until(lambda: len(world.cluster.terminating()) >= 2, "evicted")
    assert world.claim("two fillers are evicted", evicted or None, f"leaving: {world.cluster.terminating()}")

    world.nodes(2, gpus=2, name="spare")
    assert world.scheduler_is_working()
    spared = world.stand("two of four fillers are spared", *fillers, least=2, most=2)
    world.faults.finish_deletions()

    assert gang.is_bound_whole()
    assert spared
