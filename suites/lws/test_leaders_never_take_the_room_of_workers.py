"""Four leaders, four places: what a scheduler that places pod by pod makes of four replicas is four useless leaders."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "Of four replicas with as much room as there are leaders, one MUST run whole and no other in part.",
    clauses=["LWS-04"],
    needs=["leader-worker-set"],
    profile="LWS",
)
def test_leaders_never_take_the_room_of_workers(world: World) -> None:
    world.nodes(2, gpus=2)

    live = submit(world, replicas=4, size=4)

    assert live.is_complete()
    verdict, winner = world.one_of(*live.gangs)
    assert verdict
    for gang in live.gangs:
        assert gang is winner or gang.still_waits()
