"""Members end by themselves, and nobody deletes them: finished pods must not hold a GPU."""

from harness import Gang, World, case


@case(
    "When the members of a gang have finished, the gang that waits for their room MUST be bound whole.",
    clauses=["GANG-26", "WL-65"],
)
def test_gang_that_completes_frees_its_room(world: World) -> None:
    world.nodes(2, gpus=4)
    short = world.submit(Gang("short", size=4, gpus=2, lifetime=0.5))
    assert short.is_bound_whole()

    next_one = world.submit(Gang("next", size=4, gpus=2))

    assert next_one.is_bound_whole()
