"""The hard way: a gang that was not complete in time is over, and room that comes later does not bring it back."""

from harness import Gang, World, case


@case(
    "A gang that fails when its time is over MUST NOT be bound afterwards, room or not.",
    clauses=["GANG-23", "GANG-34"],
    needs=["timeout", "timeout-fails-gang"],
)
def test_gang_out_of_time_fails_for_good(world: World) -> None:
    world.nodes(1, gpus=6)
    gang = world.submit(Gang("late", size=4, gpus=2, timeout=3))
    assert gang.is_refused()
    assert world.sees("every member has failed", gang.phases, "released", equals=["Failed"] * 4)
    assert gang.is_released()

    world.nodes(1, gpus=8)

    assert gang.stays_pending()
