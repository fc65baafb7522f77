"""The leader is there, the group is not, and whoever owes it is gone. Its successor has only the API server to ask."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_faults import allow_groups, controller_complains, refuse_groups
from harness.world import World


@case(
    "A group that was due when the controller was killed MUST be made when it is back.",
    clauses=["LWS-37"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
    level="extended",
    disruptive=True,
)
def test_group_is_made_after_the_controller_was_killed(world: World) -> None:
    world.nodes(1, gpus=3)
    assert refuse_groups(world)
    live = submit(world, size=3)
    assert controller_complains(world)

    world.kill("controller")
    allow_groups(world)
    world.restart("controller")

    assert live.has_groups()
    assert live.is_placed_whole()
