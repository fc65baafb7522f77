"""A partial gang may hold places while it waits for the rest, but only for as long as it was given."""

from harness import Gang, World, case


@case(
    "When the time of a partial gang is over everything held for it MUST be open to others.",
    clauses=["GANG-23", "WL-43", "KOORD-14", "KOORD-36", "KOORD-37"],
    needs=["timeout"],
)
def test_gang_out_of_time_gives_back_what_it_holds(world: World) -> None:
    world.nodes(1, gpus=6)
    gang = world.submit(Gang("hopeful", size=4, gpus=2, timeout=2))
    assert gang.is_refused()

    single = world.pod(gpus=6)

    assert world.is_bound(single, deadline="released")
    assert world.stand("no member of the gang was bound", gang, most=0)
