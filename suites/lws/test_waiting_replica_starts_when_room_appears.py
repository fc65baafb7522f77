"""Two of three replicas run; the third waits whole, for nothing but room."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_seen import all_but_one_run
from harness.world import World


@case(
    "A replica that waited MUST be bound whole when there is room, and the running ones MUST stay as they are.",
    clauses=["LWS-05", "LWS-02"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_waiting_replica_starts_when_room_appears(world: World) -> None:
    world.nodes(2, gpus=2)
    live = submit(world, replicas=3, size=2)
    assert live.is_complete()
    waiting = all_but_one_run(live)
    assert waiting is not None
    assert waiting.still_waits()
    running = [gang for gang in live.gangs if gang is not waiting]
    for gang in running:
        gang.stays_untouched()

    world.nodes(1, gpus=2)

    assert waiting.is_bound_whole()
    assert all(gang.is_bound_whole() for gang in running)
