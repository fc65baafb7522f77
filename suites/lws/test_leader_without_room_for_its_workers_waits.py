"""The leader asks for next to nothing and comes first; yet it is of no use without its workers."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "A leader that fits while its workers do not MUST NOT be bound.",
    clauses=["LWS-03", "LWS-02"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_leader_without_room_for_its_workers_waits(world: World) -> None:
    world.nodes(1, gpus=2)

    live = submit(world, size=3, gpus=2, leader=0)

    assert live.is_complete()
    (gang,) = live.gangs
    assert gang.is_refused()
    assert gang.still_waits()
