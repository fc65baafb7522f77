"""What was out of time is deleted and tried again under the same name, with room this time."""

from harness import Gang, World, case


@case(
    "A gang that failed when its time was over MUST be bound whole when it is submitted again with room.",
    clauses=["GANG-13", "GANG-34", "KOORD-40"],
    needs=["timeout", "timeout-fails-gang"],
    level="extended",
)
def test_gang_after_a_failed_one_starts(world: World) -> None:
    world.nodes(1, gpus=6)
    gang = world.submit(Gang("late", size=4, gpus=2, timeout=3))
    assert gang.is_refused()
    assert world.sees("every member has failed", gang.phases, "released", equals=["Failed"] * 4)
    gang.delete()
    assert gang.is_gone()

    world.nodes(1, gpus=8)
    again = world.submit(Gang("late", size=4, gpus=2, timeout=30))

    assert again.is_bound_whole()
