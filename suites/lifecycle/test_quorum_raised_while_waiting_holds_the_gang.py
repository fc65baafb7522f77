"""The room that appears would have been enough for the old quorum, and is not for the new one.

The scheduler learns of the new quorum by a watch that may lag. Watches are ordered: once a gang that was submitted
later is bound, it has seen the edit.
"""

from harness import Gang, World, case


@case(
    "A waiting gang whose quorum is raised MUST NOT start with the former quorum.",
    clauses=["GANG-27"],
    needs=["quorum", "quorum-edit"],
)
def test_quorum_raised_while_waiting_holds_the_gang(world: World) -> None:
    world.nodes(1, gpus=2)
    gang = world.submit(Gang("flexible", size=4, quorum=2, gpus=2))
    assert gang.is_refused()

    gang.edit_quorum(4)
    assert world.submit(Gang("later", size=1, gpus=0)).is_bound_whole()
    world.nodes(1, gpus=4)

    assert gang.stays_pending()
    world.nodes(1, gpus=2)
    assert gang.is_bound_whole()
