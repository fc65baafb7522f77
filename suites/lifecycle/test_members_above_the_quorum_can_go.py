"""An elastic job shrinks to its quorum. What is left goes on, and the next gang starts in the room that is free."""

from harness import Gang, World, case


@case(
    "When a running gang shrinks to its quorum the others MUST stay, and the room MUST be open to the next gang.",
    clauses=["GANG-38", "GANG-13"],
    needs=["quorum"],
)
def test_members_above_the_quorum_can_go(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("elastic", size=4, quorum=2, gpus=2))
    assert gang.is_bound_whole()
    gang.must_stay_untouched()
    following = world.submit(Gang("following", size=2, gpus=2))
    assert following.is_refused()

    gang.delete("elastic-2", "elastic-3")
    assert gang.is_gone("elastic-2", "elastic-3")

    assert following.is_bound_whole()
    assert world.stand("the members that were left stay bound", gang, least=2, most=2)
