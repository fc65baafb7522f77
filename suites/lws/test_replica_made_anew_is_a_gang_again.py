"""The second life of a replica is a gang like the first: its node has shrunk meanwhile, and not all of it fits."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "A replica that is made anew MUST wait whole while it does not fit, and MUST be bound whole when it does.",
    clauses=["LWS-02", "LWS-29"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_replica_made_anew_is_a_gang_again(world: World) -> None:
    (node,) = world.nodes(1, gpus=3)
    live = submit(world, size=3)
    assert live.is_placed_whole()

    world.resize(node, gpus=2)
    old = live.lose_leader()

    assert live.is_made_anew(old)
    assert live.gangs[0].is_refused()
    world.resize(node, gpus=3)
    assert live.is_placed_whole()
