"""Two of three replicas run; the third waits whole, for nothing but room."""

from harness.cases.language import LWS, World, case


@case(
    "A replica that waited MUST be bound whole when there is room, and the running ones MUST stay as they are.",
    clauses=["LWS-05", "LWS-02"],
)
def test_waiting_replica_starts_when_room_appears(world: World) -> None:
    world.nodes(2, gpus=2)
    lws = world.submit(LWS(replicas=3, size=2))
    assert lws.is_complete()
    waiting = lws.all_but_one_run()
    assert waiting is not None
    assert waiting.stays_pending()
    running = [gang for gang in lws.gangs if gang is not waiting]
    for gang in running:
        gang.must_stay_untouched()

    world.nodes(1, gpus=2)

    assert waiting.is_bound_whole()
    assert all(gang.is_bound_whole() for gang in running)
