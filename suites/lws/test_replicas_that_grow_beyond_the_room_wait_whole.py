"""A set is scaled up further than there is room for: the last replica waits, as one."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_seen import all_but_one_run
from harness.world import World


@case(
    "A new replica without room for all of it MUST wait whole while the others run.",
    clauses=["LWS-31", "LWS-03", "LWS-05"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_replicas_that_grow_beyond_the_room_wait_whole(world: World) -> None:
    world.nodes(1, gpus=5)
    live = submit(world, replicas=1, size=2)
    assert live.is_placed_whole()

    live.scale(3)

    assert live.is_complete()
    waiting = all_but_one_run(live)
    assert waiting is not None
    assert waiting.is_refused()
    assert waiting.still_waits()
