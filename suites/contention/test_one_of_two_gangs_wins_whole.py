"""Two gangs, room for one: the case in which schedulers that place pod by pod leave two halves."""

from harness import Gang, World, case


@case(
    "Of two gangs with room for one, exactly one MUST be bound whole and the other not at all.",
    profile="GANG-CORE",
    clauses=["WL-35", "WL-37", "KOORD-17", "GANG-03", "GANG-07", "WL-64"],
)
def test_one_of_two_gangs_wins_whole(world: World) -> None:
    world.nodes(2, gpus=4)

    red, blue = world.gangs.submit_in_turns(Gang("red", size=4, gpus=2), Gang("blue", size=4, gpus=2))

    verdict, winner = world.gangs.one_of(red, blue)
    assert verdict
    loser = blue if winner is red else red
    assert loser.is_refused()
