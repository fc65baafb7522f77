"""A gang that runs with its quorum has not given up on the others."""

from harness import Gang, World, case


@case(
    "Members above the quorum MUST be bound when room for them appears.",
    clauses=["GANG-10", "WL-39"],
    needs=["quorum"],
)
def test_surplus_members_join_when_room_appears(world: World) -> None:
    world.nodes(1, gpus=3)
    gang = world.submit(Gang("elastic", size=5, quorum=3))
    assert gang.reaches_quorum()

    world.nodes(1, gpus=2)

    assert gang.is_bound_whole()
