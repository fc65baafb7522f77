"""Nothing of the refused gang is bound, yet a scheduler may have set room aside for it in its own books. Others
must be able to use that room: all of it, at once."""

from harness import Gang, World, case


@case(
    "Room that a refused gang would have used SHOULD be open to pods of no gang.",
    clauses=["GANG-06", "WL-42", "WL-43", "WL-54", "KOORD-37"],
)
def test_refused_gang_keeps_nothing_from_others(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("refused", size=5, gpus=2))
    assert gang.is_refused()

    pods = [world.pod(gpus=4) for _ in range(2)]

    assert world.is_bound(*pods)
    assert gang.stays_pending()
