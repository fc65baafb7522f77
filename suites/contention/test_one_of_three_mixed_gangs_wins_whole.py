"""Members of three gangs arrive in turns, so that a scheduler that goes pod by pod takes one of each."""

from harness import Gang, World, case


@case(
    "Of three gangs whose members arrive in turns, with room for one, exactly one MUST be bound whole.",
    profile="GANG-CORE",
    clauses=["GANG-03", "GANG-07", "WL-35", "WL-64"],
)
def test_one_of_three_mixed_gangs_wins_whole(world: World) -> None:
    world.nodes(2, gpus=4)

    gangs = world.gangs.submit_in_turns(*(Gang(name, size=4, gpus=2) for name in ("red", "green", "blue")))

    verdict, winner = world.gangs.one_of(*gangs)
    assert verdict
    for gang in gangs:
        assert gang is winner or gang.is_refused()
