"""The queue is sorted by priority first. Both gangs are there before the scheduler is, the lesser one longer."""

from harness import Gang, World, case


@case(
    "Of two waiting gangs the one of higher priority MUST be bound where there is room for one.",
    clauses=["KOORD-42"],
    needs=["queue-order", "restart-safe"],
    disturbs="scheduler",
)
def test_gang_of_higher_priority_is_first_in_the_queue(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(2, gpus=4)
    world.faults.kill("scheduler")
    lesser = world.submit(Gang("lesser", size=4, gpus=2, priority=low))
    greater = world.submit(Gang("greater", size=4, gpus=2, priority=high))

    world.gangs.start_in_order(greater, lesser)
    world.faults.restart("scheduler")

    assert greater.is_bound_whole()
    assert lesser.is_refused()
