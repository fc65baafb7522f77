"""The leader may start alone, but not in vain: its group asks for the room of all, and there is none.

A later leader that is placed shows that the scheduler has been past this one since its group is there.
"""

from harness.cases.language import LEADER_READY, LWS, World, case


@case(
    "With the startup policy LeaderReady a leader MUST NOT be bound while there is no room for its replica.",
    clauses=["LWS-24"],
    needs=["lws-min-resources"],
)
def test_leader_without_room_for_its_replica_waits(world: World) -> None:
    world.nodes(1, gpus=2)

    lws = world.submit(LWS(size=4, startup=LEADER_READY))

    assert lws.is_complete()
    (gang,) = lws.gangs
    assert gang.is_refused()
    assert gang.must_stay_unbound()
    later = world.submit(LWS("later", size=1, startup=LEADER_READY))
    assert later.is_bound_whole()
    assert gang.stays_pending()
