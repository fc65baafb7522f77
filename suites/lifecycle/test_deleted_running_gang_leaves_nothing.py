"""The usual end of a job that is cancelled while it runs."""

from harness import Gang, World, case


@case(
    "A running gang that is deleted MUST leave nothing behind, and its room MUST be open to the next.",
    clauses=["GANG-13", "WL-65"],
)
def test_deleted_running_gang_leaves_nothing(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("cancelled", size=4, gpus=2))
    assert gang.is_bound_whole()

    gang.delete()

    assert gang.is_gone()
    assert world.submit(Gang("next", size=4, gpus=2)).is_bound_whole()
