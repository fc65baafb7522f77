"""A replica that is larger than the cluster waits for ever. That is its own affair."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "A replica that waits MUST NOT hold back a replica that fits.",
    clauses=["LWS-05"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_waiting_replica_does_not_hold_back_one_that_fits(world: World) -> None:
    world.nodes(1, gpus=4)
    large = submit(world, "large", size=6)
    assert large.is_complete()
    assert large.gangs[0].is_refused()

    small = submit(world, "small", replicas=2, size=2)

    assert small.is_placed_whole()
    assert large.gangs[0].still_waits()
