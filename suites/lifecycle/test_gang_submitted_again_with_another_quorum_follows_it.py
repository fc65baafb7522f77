"""The first try asked for more than there is. The second asks for less; what the scheduler remembers of the first
must not get in its way."""

from harness import Gang, World, case


@case(
    "A gang that is submitted again with a smaller quorum MUST start with that quorum.",
    clauses=["GANG-10", "GANG-27", "WL-34"],
    needs=["quorum"],
)
def test_gang_submitted_again_with_another_quorum_follows_it(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("retry", size=4, gpus=2))
    assert gang.is_refused()
    gang.delete()
    assert gang.is_gone()

    again = world.submit(Gang("retry", size=4, quorum=2, gpus=2))

    assert again.reaches_quorum()
