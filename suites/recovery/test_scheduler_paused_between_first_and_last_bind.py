"""A long garbage collection, or a virtual machine that is moved: the scheduler wakes up in a world that went on."""

from harness import Gang, World, case


@case(
    "A gang whose scheduler was paused after its first bind MUST be bound whole after it goes on.",
    clauses=["GANG-03", "GANG-16"],
    level="extended",
    disturbs="scheduler",
)
def test_scheduler_paused_between_first_and_last_bind(world: World) -> None:
    world.nodes(5, gpus=8)

    gang = world.submit(Gang("held", size=40, gpus=1))
    assert gang.is_being_bound()
    world.faults.pause("scheduler")
    world.nodes(1, gpus=8)
    world.faults.resume("scheduler")

    assert gang.is_bound_whole()
