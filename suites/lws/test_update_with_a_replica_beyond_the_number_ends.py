"""Nothing is said of groups here: replicas are placed whole, before, during and after."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "An update that makes a replica more than asked for MUST end with all replicas renewed and placed whole.",
    clauses=["LWS-34"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_update_with_a_replica_beyond_the_number_ends(world: World) -> None:
    world.nodes(3, gpus=2)
    live = submit(world, replicas=2, size=2, surge=1)
    assert live.is_placed_whole()
    revisions = live.revisions()

    live.update()

    assert live.is_updated(revisions)
    assert live.is_placed_whole()
