"""At equal priority the line is the only thing that is fair. Both gangs come while the scheduler stands still, one
after the other, so it meets them in this order; the first choice that it makes is the one that counts."""

from harness import Gang, World, case


@case(
    "Of two gangs of equal priority the one that came first SHOULD be bound where there is room for one.",
    clauses=["GANG-49", "WL-62"],
    level="extended",
    disturbs="scheduler",
)
def test_gang_that_came_first_goes_first(world: World) -> None:
    world.nodes(2, gpus=4)
    world.faults.pause("scheduler")
    first = world.submit(Gang("later-in-the-alphabet", size=4, gpus=2))
    world.cluster.next_second()
    second = world.submit(Gang("alphabet", size=4, gpus=2))

    world.gangs.start_in_order(first, second)
    world.faults.resume("scheduler")

    assert first.is_bound_whole()
    assert second.is_refused()
