"""Two replicas of one set, room for one: leaders come first, and two of them would leave no room for workers."""

from harness.cases.language import LWS, World, case


@case(
    "Of two replicas with room for one, exactly one MUST be bound whole and the other not at all.",
    clauses=["LWS-04", "LWS-02"],
)
def test_one_of_two_replicas_runs_whole(world: World) -> None:
    world.nodes(2, gpus=4)

    lws = world.submit(LWS(replicas=2, size=4, gpus=2))

    assert lws.is_complete()
    verdict, winner = world.gangs.one_of(*lws.gangs)
    assert verdict
    (loser,) = [gang for gang in lws.gangs if gang is not winner]
    assert loser.is_refused()
