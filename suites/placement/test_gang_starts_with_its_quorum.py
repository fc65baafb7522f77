"""The quorum is a minimum, not a number to aim at: with room for it the gang starts, and the surplus waits outside."""

from harness import Gang, World, case


@case(
    "With room for the quorum only, the quorum MUST be bound while the other members wait.",
    clauses=["GANG-10", "WL-38", "KOORD-01"],
    needs=["quorum"],
)
def test_gang_starts_with_its_quorum(world: World) -> None:
    world.nodes(1, gpus=3)

    gang = world.submit(Gang("elastic", size=5, quorum=3))

    assert gang.reaches_quorum()
    assert world.stand("the surplus of two waits", gang, least=3, most=3)
