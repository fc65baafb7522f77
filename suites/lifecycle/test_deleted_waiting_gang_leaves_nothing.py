"""A gang that gives up waiting: whatever was made for it has to go, and the next gang must not meet its ghost."""

from harness import Gang, World, case


@case(
    "A waiting gang that is deleted MUST leave nothing behind, and its room MUST be open to the next.",
    clauses=["GANG-13", "GANG-26"],
)
def test_deleted_waiting_gang_leaves_nothing(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("quitter", size=5, gpus=2))
    assert gang.is_refused()

    gang.delete()

    assert gang.is_gone()
    assert world.submit(Gang("next", size=4, gpus=2)).is_bound_whole()
