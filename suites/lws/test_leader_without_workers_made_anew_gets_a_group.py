"""A replica of one: nothing but the leader itself tells the controller that a new group is due."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "A leader of a replica of size one that is made anew MUST get a new group and be bound.",
    clauses=["LWS-29", "LWS-40"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_leader_without_workers_made_anew_gets_a_group(world: World) -> None:
    world.nodes(1, gpus=1)
    live = submit(world, size=1)
    assert live.is_placed_whole()

    old = live.lose_leader()

    assert live.is_made_anew(old)
    assert live.leads_its_group()
    assert live.is_placed_whole()
