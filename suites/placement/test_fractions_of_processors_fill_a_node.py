"""Two members of one and a half processors each fill a node of three: an amount is what is written, not rounded."""

from harness import Gang, World, case


@case(
    "A gang MUST be bound whole where its members fit by fractions of processors.",
    clauses=["GANG-01"],
    level="extended",
)
def test_fractions_of_processors_fill_a_node(world: World) -> None:
    world.nodes(2, gpus=8, cpu="3")

    gang = world.submit(Gang("fractions", size=4, gpus=1, cpu="1500m"))

    assert gang.is_bound_whole()
