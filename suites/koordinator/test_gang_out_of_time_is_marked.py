"""The user who made the pods has to delete them when their time is over, and must be able to see that it is."""

from harness import Gang, World, case


@case(
    "When the wait time of a gang is over every member MUST be marked.",
    clauses=["KOORD-38"],
    needs=["timeout", "timeout-marks-gang", "nonstrict"],
    level="extended",
)
def test_gang_out_of_time_is_marked(world: World) -> None:
    world.nodes(1, gpus=6)
    gang = world.submit(Gang("late", size=4, gpus=2, timeout=3, style="nonstrict"))
    assert gang.is_refused()

    assert gang.is_marked_late()
