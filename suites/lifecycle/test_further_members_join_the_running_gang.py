"""An elastic job grows: more members than the quorum, created when the gang already runs."""

from harness import Gang, World, case


@case(
    "Members created after their gang has started MUST be bound where they fit.",
    clauses=["GANG-14", "WL-45"],
    needs=["quorum"],
)
def test_further_members_join_the_running_gang(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("growing", size=8, quorum=4, gpus=1, missing=4))
    assert gang.is_bound_whole()

    gang.create_missing()

    assert gang.is_bound_whole()
