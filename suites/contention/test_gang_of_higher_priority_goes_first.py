"""Both gangs are there before the scheduler is, the lesser one longer; the first choice it makes is the one that
counts."""

from harness import Gang, World, case


@case(
    "Of two waiting gangs the one of higher priority SHOULD be bound where there is room for one.",
    clauses=["GANG-18", "WL-61"],
    needs=["priority", "restart-safe"],
    disturbs="scheduler",
)
def test_gang_of_higher_priority_goes_first(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(2, gpus=4)
    world.faults.kill("scheduler", until_restart=True)
    lesser = world.submit(Gang("lesser", size=4, gpus=2, priority=low))
    greater = world.submit(Gang("greater", size=4, gpus=2, priority=high))

    world.gangs.start_in_order(greater, lesser)
    world.faults.restart("scheduler")

    assert greater.is_bound_whole()
    assert lesser.is_refused()
