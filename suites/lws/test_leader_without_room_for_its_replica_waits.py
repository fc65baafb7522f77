"""The leader may start alone, but not in vain: its group asks for the room of all, and there is none.

A later leader that is placed shows that the scheduler has been past this one since its group is there.
"""

from harness.case import case
from harness.leaderworker import LEADER_READY, submit
from harness.world import World


@case(
    "With the startup policy LeaderReady a leader MUST NOT be bound while there is no room for its replica.",
    clauses=["LWS-24"],
    needs=["leader-worker-set", "lws-min-resources"],
    profile="LWS",
)
def test_leader_without_room_for_its_replica_waits(world: World) -> None:
    world.nodes(1, gpus=2)

    live = submit(world, size=4, startup=LEADER_READY)

    assert live.is_complete()
    (gang,) = live.gangs
    assert gang.is_refused()
    assert gang.stays_unbound()
    later = submit(world, "later", size=1, startup=LEADER_READY)
    assert later.is_placed_whole()
    assert gang.still_waits()
