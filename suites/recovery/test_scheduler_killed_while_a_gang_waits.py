"""What the scheduler knew about the waiting gang is lost with it, and the room appears while it is down."""

from harness import Gang, World, case


@case(
    "A gang that waited when the scheduler was killed MUST be bound whole by the next if there is room then.",
    clauses=["GANG-16", "WL-78"],
    needs=["restart-safe"],
    disturbs="scheduler",
)
def test_scheduler_killed_while_a_gang_waits(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    world.faults.kill("scheduler")
    world.nodes(1, gpus=4)
    world.faults.restart("scheduler")

    assert gang.is_bound_whole()
