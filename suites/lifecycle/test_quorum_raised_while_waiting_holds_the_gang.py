"""The room that appears would have been enough for the old quorum, and is not for the new one."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A waiting gang whose quorum is raised MUST NOT start with the former quorum.",
    clauses=["GANG-27"],
    needs=["gang", "quorum", "quorum-edit"],
    profile="GANG-LIFECYCLE",
)
def test_quorum_raised_while_waiting_holds_the_gang(world: World) -> None:
    world.nodes(1, gpus=2)
    gang = world.submit(Gang("flexible", size=4, quorum=2, gpus=2))
    assert gang.is_refused()

    gang.edit_quorum(4)
    world.nodes(1, gpus=4)

    assert gang.still_waits()
    world.nodes(1, gpus=2)
    assert gang.is_bound_whole()
