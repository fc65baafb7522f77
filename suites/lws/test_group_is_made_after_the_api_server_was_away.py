"""The API server goes away while a group is due, and comes back."""

from harness.cases.language import LWS, World, case


@case(
    "A group that was due when the API server went away MUST be made when it is back.",
    clauses=["LWS-37"],
    needs=["lws-group-object"],
    level="extended",
    disturbs="control-plane",
)
def test_group_is_made_after_the_api_server_was_away(world: World) -> None:
    world.nodes(1, gpus=3)
    assert world.api_server.refuse_groups()
    lws = world.submit(LWS(size=3))
    assert world.api_server.controller_was_refused()

    world.faults.restart("apiserver")
    world.api_server.allow_groups()

    assert lws.has_groups("reconnected")
    assert lws.gangs[0].is_bound_whole("reconnected")
