"""The user settles for less while the gang waits."""

from harness import Gang, World, case


@case(
    "A waiting gang whose quorum is lowered to what fits MUST start.",
    clauses=["GANG-27"],
    needs=["quorum", "quorum-edit"],
)
def test_quorum_lowered_while_waiting_starts_the_gang(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("flexible", size=4, gpus=2))
    assert gang.is_refused()

    gang.edit_quorum(2)

    assert gang.reaches_quorum()
