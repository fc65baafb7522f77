"""The new leader is not ready before it is placed, not placed without a group, and has no workers until it is ready."""

from harness.case import case
from harness.leaderworker import LEADER_READY, submit
from harness.world import World


@case(
    "With the startup policy LeaderReady a leader made anew MUST get a new group and be bound.",
    clauses=["LWS-29", "LWS-20"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_leader_that_goes_first_made_anew_gets_a_group(world: World) -> None:
    world.nodes(1, gpus=2)
    live = submit(world, size=2, startup=LEADER_READY)
    assert live.is_placed_whole()

    old = live.lose_leader()

    assert live.is_made_anew(old)
    assert live.leads_its_group()
    assert live.is_placed_whole()
