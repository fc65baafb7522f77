"""The plain case: room for a replica, and all of it is placed in one go."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "Leader and workers of a replica that fits MUST be bound together.",
    clauses=["LWS-02"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_replica_that_fits_is_placed_whole(world: World) -> None:
    world.nodes(2, gpus=4)

    live = submit(world, size=4, gpus=2)

    assert live.is_placed_whole()
