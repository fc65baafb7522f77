"""One worker short of room: nothing of the replica may start."""

from harness.cases.language import LWS, World, case


@case(
    "A replica with room for all its pods but one MUST NOT have a single pod bound.",
    clauses=["LWS-02", "LWS-03"],
)
def test_replica_with_room_for_all_but_one_waits_whole(world: World) -> None:
    world.nodes(2, gpus=4)
    assert world.is_bound(world.pod(gpus=2))

    live = world.submit(LWS(size=4, gpus=2))

    assert live.is_complete()
    (gang,) = live.gangs
    assert gang.is_refused()
    assert gang.stays_pending()
