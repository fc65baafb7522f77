"""The gang has its places and is being bound when the bind of one member fails. From now on it is satisfied: the others
stay, and this one is placed like any pod."""

from harness import Gang, World, case


@case(
    "When the bind of a member fails, the others MUST stay bound, and that member MUST be bound once it can be.",
    clauses=["GANG-14", "KOORD-34"],
    needs=["nonstrict", "quorum"],
)
def test_member_whose_bind_fails_is_taken_back_alone(world: World) -> None:
    world.nodes(2, gpus=4)
    world.api_server.refuse_bind("torn-2")

    gang = world.submit(Gang("torn", size=4, quorum=3, gpus=2))

    assert gang.reaches_quorum()
    assert world.scheduler_is_working()
    assert world.stand("the other three stay bound", gang, least=3, most=3)
    world.api_server.allow_bind()
    assert gang.takes_in("torn-2")
