"""The worst moment to die. Part of the gang is bound for good, and the scheduler that comes after must finish the
work."""

from harness import Gang, World, case


@case(
    "A gang whose scheduler was killed after its first bind MUST be bound whole by the next.",
    clauses=["GANG-03", "GANG-16", "WL-78", "KOORD-35"],
    needs=["restart-safe"],
    level="extended",
    disturbs="scheduler",
)
def test_scheduler_killed_between_first_and_last_bind(world: World) -> None:
    world.nodes(5, gpus=8)

    gang = world.submit(Gang("torn", size=40, gpus=1))
    assert gang.is_being_bound()
    world.faults.kill("scheduler")
    world.faults.restart("scheduler")

    assert gang.is_bound_whole()
