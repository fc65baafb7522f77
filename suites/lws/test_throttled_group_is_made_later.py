"""The API server has too much to do and puts the controller off. Nothing starts without the group, and it comes."""

from harness.cases.language import LWS, World, case


@case(
    "A group whose creation was put off MUST be made as soon as it may be, and nothing MUST be bound before.",
    clauses=["LWS-37"],
    needs=["lws-group-object"],
    level="extended",
    disturbs="control-plane",
)
def test_throttled_group_is_made_later(world: World) -> None:
    world.nodes(1, gpus=3)
    world.api_server.throttle_groups()
    lws = world.submit(LWS(size=3))
    assert world.api_server.controller_was_throttled()
    (gang,) = lws.gangs
    assert gang.must_stay_unbound()

    gang.lift()
    world.api_server.take_groups_again()

    assert lws.has_groups("reconnected")
    assert gang.is_bound_whole("reconnected")
