"""Gangs that keep their places are deleted while they wait. Whatever they kept has to go with them, and so has
everything in the scheduler that waited for it."""

from harness import Gang, World, case


@case(
    "After waiting gangs that are not strict were deleted, a gang that needs the whole cluster MUST be bound.",
    clauses=["GANG-13", "KOORD-25", "KOORD-46"],
    needs=["nonstrict"],
    disturbs="scheduler",
)
def test_nonstrict_gangs_deleted_while_they_hold_leave_the_room(world: World) -> None:
    world.nodes(1, gpus=10)
    gangs = world.gangs.submit_in_turns(
        *(Gang(name, size=6, gpus=1, style="nonstrict", timeout=60) for name in ("a", "b", "c"))
    )
    assert world.scheduler_is_working()

    for gang in gangs:
        gang.delete()
        assert gang.is_gone()

    assert world.submit(Gang("next", size=10, gpus=1)).is_bound_whole()
