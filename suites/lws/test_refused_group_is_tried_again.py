"""The API server refuses the group for a while. Nothing starts without it, and it comes when it may."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_faults import allow_groups, controller_complains, refuse_groups
from harness.world import World


@case(
    "A group that could not be made MUST be tried again until it is there.",
    clauses=["LWS-37"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
    level="extended",
)
def test_refused_group_is_tried_again(world: World) -> None:
    world.nodes(1, gpus=3)
    assert refuse_groups(world)
    live = submit(world, size=3)
    assert controller_complains(world)
    (gang,) = live.gangs
    assert gang.stays_unbound()

    world.lift(gang)
    allow_groups(world)

    assert live.has_groups()
    assert live.is_placed_whole()
