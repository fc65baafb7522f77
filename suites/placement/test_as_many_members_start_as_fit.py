"""The quorum is a minimum, not a number to aim at: what fits beside it should not lie idle."""

from harness import Gang, World, case


@case(
    "Of a gang that is larger than its quorum all members SHOULD be bound that fit.",
    clauses=["GANG-10", "WL-83"],
    needs=["quorum"],
    level="extended",
)
def test_as_many_members_start_as_fit(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("elastic", size=6, quorum=2, gpus=2))

    assert gang.reaches_quorum()
    assert world.stand("four of six members fit and are bound", gang, least=4, most=4, deadline="bound")
