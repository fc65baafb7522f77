"""The replica beyond the number has no room. It waits whole, and nobody else is touched for it."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "A replica made for an update that has no room MUST wait whole, and the update MUST go on when there is.",
    clauses=["LWS-34", "LWS-03"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_update_without_room_for_another_replica_waits(world: World) -> None:
    world.nodes(2, gpus=2)
    live = submit(world, replicas=2, size=2, surge=1)
    assert live.is_placed_whole()
    revisions = live.revisions()

    live.update()

    surge = live.expects_surge()
    assert world.sees("a third replica is made", lambda: len(live.pods(2)) == 2)
    assert surge.is_refused()
    assert surge.still_waits()
    world.nodes(1, gpus=2)
    assert live.is_updated(revisions)
    assert live.is_placed_whole()
