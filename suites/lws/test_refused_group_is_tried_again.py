"""The API server refuses the group for a while. Nothing starts without it, and it comes when it may."""

from harness.cases.language import LWS, World, case


@case(
    "A group that could not be made MUST be tried again until it is there.",
    clauses=["LWS-37"],
    needs=["lws-group-object"],
    level="extended",
)
def test_refused_group_is_tried_again(world: World) -> None:
    world.nodes(1, gpus=3)
    assert world.api_server.refuse_groups()
    lws = world.submit(LWS(size=3))
    assert world.api_server.controller_was_refused()
    (gang,) = lws.gangs
    assert gang.must_stay_unbound()

    gang.lift()
    world.api_server.allow_groups()

    assert lws.has_groups()
    assert lws.is_bound_whole()
