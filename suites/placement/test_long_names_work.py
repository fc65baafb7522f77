"""Names are built from names: what a controller composes is often as long as it may be."""

from harness import Gang, World, case


@case(
    "A gang with a name of sixty characters MUST be bound whole like any other.",
    clauses=["GANG-01"],
)
def test_long_names_work(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("a" * 60, size=4, gpus=2))

    assert gang.is_bound_whole()
