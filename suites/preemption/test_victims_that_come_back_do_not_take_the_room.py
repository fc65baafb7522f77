"""One of two victims is gone and its controller makes it again at once, while the other is still on its way out. If it
gets its old place back, it has to be evicted once more, and so on without end."""

from harness import Gang, World, case


@case(
    "Victims that come back MUST NOT be bound while the gang that they were evicted for still waits.",
    clauses=["QUEUE-06", "GANG-21"],
    needs=["gang-disruption"],
    level="extended",
)
def test_victims_that_come_back_do_not_take_the_room(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    victims = Gang("quick", size=2, gpus=2, priority=low, disruption="gang")
    quick = world.submit(victims)
    slow = world.submit(victims.but(name="slow"), alter=world.faults.delay_deletion)
    assert quick.is_bound_whole()
    assert slow.is_bound_whole()

    urgent = world.submit(Gang("urgent", size=4, gpus=2, priority=high))
    assert world.stand("the first victims are gone", quick, most=0, deadline="evicted")
    quick.create_again("quick-0", "quick-1", suffix="-again")
    back = quick.is_refused()
    world.faults.finish_deletions()

    assert back
    assert urgent.is_bound_whole()
    assert quick.stays_pending()
