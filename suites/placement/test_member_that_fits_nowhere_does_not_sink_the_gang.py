"""The largest member, which is tried first, fits on no node; the others are as many as the gang needs."""

from harness import Gang, Role, World, case


@case(
    "A gang whose quorum can be met MUST start although one of its members fits nowhere.",
    clauses=["GANG-10", "GANG-48", "WL-82"],
    needs=["quorum", "roles"],
    level="extended",
)
def test_member_that_fits_nowhere_does_not_sink_the_gang(world: World) -> None:
    world.nodes(2, gpus=4)
    roles = (Role("giant", 1, quorum=0, gpus=8), Role("worker", 3, gpus=2))

    gang = world.submit(Gang("lopsided", roles=roles))

    assert gang.reaches_quorum()
    assert world.stand("three workers are bound", gang, least=3, most=3)
