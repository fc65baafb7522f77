"""The user settles for less while the gang waits."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A waiting gang whose quorum is lowered to what fits MUST start.",
    clauses=["GANG-27"],
    needs=["gang", "quorum", "quorum-edit"],
    profile="GANG-LIFECYCLE",
)
def test_quorum_lowered_while_waiting_starts_the_gang(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("flexible", size=4, gpus=2))
    assert gang.is_refused()

    gang.edit_quorum(2)

    assert gang.reaches_quorum()
