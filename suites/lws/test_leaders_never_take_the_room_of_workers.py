"""Four leaders, four places: what a scheduler that places pod by pod makes of four replicas is four useless leaders."""

from harness.cases.language import LWS, World, case


@case(
    "Of four replicas with as much room as there are leaders, one MUST run whole and no other in part.",
    clauses=["LWS-04"],
)
def test_leaders_never_take_the_room_of_workers(world: World) -> None:
    world.nodes(2, gpus=2)

    lws = world.submit(LWS(replicas=4, size=4))

    assert lws.is_complete()
    verdict, winner = world.gangs.one_of(*lws.gangs)
    assert verdict
    for gang in lws.gangs:
        assert gang is winner or gang.stays_pending()
