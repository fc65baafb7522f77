"""A gang is as old as its declaration, not as its pods: the pods of the older gang come last."""

from harness import Gang, World, case


@case(
    "Of two gangs of equal priority the one that was declared first MUST be bound where there is room for one.",
    clauses=["KOORD-43"],
    needs=["queue-order", "restart-safe", "group-object"],
    disturbs="scheduler",
)
def test_gang_declared_first_is_first_in_the_queue(world: World) -> None:
    world.nodes(2, gpus=4)
    world.faults.kill("scheduler")
    older = world.submit(Gang("older", size=4, gpus=2, missing=4))
    world.cluster.next_second()
    younger = world.submit(Gang("a-younger-gang", size=4, gpus=2))
    world.cluster.next_second()
    older.create_missing()

    world.gangs.start_in_order(older, younger)
    world.faults.restart("scheduler")

    assert older.is_bound_whole()
    assert younger.is_refused()
