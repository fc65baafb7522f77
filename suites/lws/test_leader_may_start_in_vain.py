"""Where nobody counts what a group asks for, a leader that goes first can be placed while its workers hang."""

from harness.case import case
from harness.leaderworker import LEADER_READY, submit
from harness.world import World


@case(
    "What becomes of a leader whose replica as a whole has no room is observed.",
    clauses=["LWS-25"],
    needs=["leader-worker-set"],
    profile="LWS",
    strength="OBSERVE",
)
def test_leader_may_start_in_vain(world: World) -> None:
    world.nodes(1, gpus=2)

    live = submit(world, size=4, startup=LEADER_READY)
    assert live.is_complete()
    (gang,) = live.gangs
    assert world.passes()

    assert world.claim("the leader waits for the room of its replica", gang.bound == 0, f"{gang.bound} are bound")
