"""Room for two: the rest of a gang that runs anyway, or a whole gang that waits."""

from harness import Gang, World, case


@case(
    "Room that appears MUST go to the quorum of a waiting gang before the surplus of a running one.",
    clauses=["GANG-46"],
    needs=["quorum", "quorum-first"],
    level="extended",
)
def test_quorum_goes_before_surplus(world: World) -> None:
    world.nodes(1, gpus=2)
    running = world.submit(Gang("running", size=4, quorum=2, missing=2))
    assert running.is_bound_whole()
    waiting = world.submit(Gang("ahead", size=2))
    assert waiting.is_refused()
    running.create_missing()
    assert world.scheduler_is_working()

    world.nodes(1, gpus=2)

    assert waiting.is_bound_whole()
    assert world.stand("the surplus still waits", running, least=2, most=2)
