"""At equal priority the line is the only thing that is fair. A single look proves nothing either way, since whoever
is tried first after the room appears may win; so it is reported and not judged."""

from harness import Gang, World, case


@case(
    "Which of two waiting gangs of equal priority is bound when room appears is reported.",
    clauses=["WL-62", "KOORD-43"],
    level="extended",
)
def test_gang_that_came_first_goes_first(world: World) -> None:
    world.nodes(1, gpus=1)
    first = world.submit(Gang("first", size=4, gpus=2))
    assert first.is_refused()
    second = world.submit(Gang("second", size=4, gpus=2))
    assert second.is_refused()

    world.nodes(1, gpus=8)
    verdict, winner = world.one_of(first, second)

    assert verdict
    world.claim("the gang that came first goes first", winner is first)
