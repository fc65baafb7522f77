"""The API server goes away while a group is due, and comes back."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_faults import allow_groups, controller_complains, refuse_groups
from harness.world import World


@case(
    "A group that was due when the API server went away MUST be made when it is back.",
    clauses=["LWS-37"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
    level="extended",
    disruptive=True,
)
def test_group_is_made_after_the_api_server_was_away(world: World) -> None:
    world.nodes(1, gpus=3)
    assert refuse_groups(world)
    live = submit(world, size=3)
    assert controller_complains(world)

    world.restart("apiserver")
    allow_groups(world)

    assert live.has_groups("reconnected")
    assert live.gangs[0].is_bound_whole("reconnected")
