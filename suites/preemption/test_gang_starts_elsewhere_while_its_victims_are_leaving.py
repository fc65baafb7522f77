"""An eviction is no commitment to a place: who finds room earlier than the victims are gone need not wait for them."""

from harness import Gang, World, case


@case(
    "A gang whose victims are leaving SHOULD be bound at once where room appears meanwhile.",
    clauses=["GANG-05", "WL-74"],
    level="extended",
)
def test_gang_starts_elsewhere_while_its_victims_are_leaving(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    fillers = [world.pod(gpus=2, priority=low, alter=world.faults.delay_deletion) for _ in range(4)]
    assert world.is_bound(*fillers)
    gang = world.submit(Gang("urgent", size=2, gpus=2, priority=high))
    evicted = world.until(lambda: len(world.cluster.terminating()) >= 2, "evicted")
    assert world.claim("two fillers are evicted", evicted or None, f"leaving: {world.cluster.terminating()}")

    world.nodes(2, gpus=2, name="spare")

    assert gang.is_bound_whole()
    assert world.finds("its victims were still leaving", world.cluster.terminating(), least=2)
    world.faults.finish_deletions()
