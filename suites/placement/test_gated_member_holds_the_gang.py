"""A member with a scheduling gate is not ready to be placed, so it cannot count towards the quorum."""

from harness import Gang, World, case


@case(
    "A gang whose quorum needs a gated member MUST wait, and MUST be bound whole when the gate is removed.",
    clauses=["GANG-09", "WL-29"],
)
def test_gated_member_holds_the_gang(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("gated", size=4, gpus=2, gated=1))
    assert gang.is_refused()
    assert gang.stays_pending()
    gang.open_gates()

    assert gang.is_bound_whole()
