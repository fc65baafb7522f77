"""Nobody was there when the gang came, and nobody tells the scheduler about it afterwards."""

from harness import Gang, World, case


@case(
    "A gang submitted while the scheduler is down MUST be bound whole once it is back.",
    clauses=["GANG-16", "WL-78"],
    needs=["restart-safe"],
    disturbs="scheduler",
)
def test_gang_waiting_for_a_dead_scheduler_is_bound(world: World) -> None:
    world.nodes(2, gpus=4)
    world.faults.kill("scheduler", until_restart=True)

    gang = world.submit(Gang("early", size=4, gpus=2))
    world.faults.restart("scheduler")

    assert gang.is_bound_whole()
