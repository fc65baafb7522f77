"""Victims take their time to go. A scheduler that looks again meanwhile sees the room still taken and picks more."""

from harness import Gang, World, case


@case(
    "While its victims are leaving a gang MUST NOT evict others.",
    clauses=["GANG-21", "WL-73", "WL-75"],
    level="extended",
)
def test_no_second_round_of_victims_while_the_first_is_leaving(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    fillers = [world.pod(gpus=2, priority=low, alter=world.faults.delay_deletion) for _ in range(4)]
    assert world.is_bound(*fillers)

    gang = world.submit(Gang("urgent", size=2, gpus=2, priority=high))
    evicted = world.until(lambda: len(world.cluster.terminating()) >= 2, "evicted")
    assert world.claim("two fillers are evicted", evicted or None, f"leaving: {world.cluster.terminating()}")
    assert gang.stays_pending()
    spared = world.stand("two of four fillers are spared", *fillers, least=2, most=2)
    world.faults.finish_deletions()

    assert spared
    assert gang.is_bound_whole()
