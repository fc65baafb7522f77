"""A gang need not say how long it may hold places; then the scheduler's own setting counts."""

from harness import Gang, World, case


@case(
    "A gang that states no wait time MUST give back what it holds when that of the scheduler is over.",
    clauses=["KOORD-09"],
    needs=["nonstrict", "default-timeout"],
    level="extended",
    disturbs="scheduler",
)
def test_gang_without_a_time_has_that_of_the_scheduler(world: World) -> None:
    world.faults.set_wait_time(2)
    world.nodes(1, gpus=6)
    gang = world.submit(Gang("patient", size=4, gpus=2, style="nonstrict"))
    assert gang.is_refused()

    single = world.pod(gpus=6)

    assert world.is_bound(single, deadline="released")
    assert world.stand("no member of the gang was bound", gang, most=0)
