"""Victims that are chosen one after another fall for a gang of which nobody knows whether it will fit. All that are
needed leave together: the second does not wait until the first is gone."""

from harness import Gang, World, case


@case(
    "All victims that a gang needs MUST be evicted together, while none of them is gone, and no others.",
    clauses=["GANG-21", "WL-76", "WL-77"],
    level="extended",
)
def test_victims_of_a_gang_are_chosen_in_one_step(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    fillers = [world.pod(gpus=2, priority=low, alter=world.faults.delay_deletion) for _ in range(4)]
    assert world.is_bound(*fillers)

    gang = world.submit(Gang("urgent", size=3, gpus=2, priority=high))
    world.until(lambda: len(world.cluster.terminating()) >= 3, "evicted")
    assert gang.stays_pending()
    spared = world.stand("three of four fillers are leaving together", *fillers, least=1, most=1)
    world.faults.finish_deletions()

    assert spared
    assert gang.is_bound_whole()
