"""Where nobody counts what a group asks for, a leader that goes first can be placed while its workers hang."""

from harness.cases.language import LEADER_READY, LWS, World, case


@case(
    "What happens to a leader whose replica as a whole has no room is observed.",
    clauses=["LWS-25"],
)
def test_leader_may_start_in_vain(world: World) -> None:
    world.nodes(1, gpus=2)

    lws = world.submit(LWS(size=4, startup=LEADER_READY))
    assert lws.is_complete()
    (gang,) = lws.gangs
    assert world.scheduler_is_working()

    assert world.stand("the leader waits for the room of its replica", gang, most=0)
