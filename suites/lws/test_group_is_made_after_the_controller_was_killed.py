"""The leader is there, the group is not, and its controller is gone. The next one has only the API server to ask."""

from harness.cases.language import LWS, World, case


@case(
    "A group that was due when the controller was killed MUST be made when it is back.",
    clauses=["LWS-37"],
    needs=["lws-group-object"],
    level="extended",
    disturbs="control-plane",
)
def test_group_is_made_after_the_controller_was_killed(world: World) -> None:
    world.nodes(1, gpus=3)
    assert world.api_server.refuse_groups()
    lws = world.submit(LWS(size=3))
    assert world.api_server.controller_was_refused()

    world.faults.kill("controller")
    world.api_server.allow_groups()
    world.faults.restart("controller")

    assert lws.has_groups()
    assert lws.is_bound_whole()
