"""The leader waited for the room of its workers, who do not even exist. Now there is room for all."""

from harness.cases.language import LEADER_READY, LWS, World, case


@case(
    "With the startup policy LeaderReady a leader that waited MUST start once there is room for its replica.",
    clauses=["LWS-23", "LWS-24"],
    needs=["lws-min-resources"],
)
def test_leader_starts_when_there_is_room_for_its_replica(world: World) -> None:
    world.nodes(1, gpus=2)
    lws = world.submit(LWS(size=4, startup=LEADER_READY))
    assert lws.is_complete()
    assert lws.gangs[0].is_refused()

    world.nodes(1, gpus=2)

    assert lws.is_bound_whole()
