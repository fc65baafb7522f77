"""A cluster that is scaled up from zero: the gang is there before the first node, and is tried before it."""

from harness import Gang, World, case


@case(
    "A scheduler MUST NOT end by itself while it tries a gang without any node, and MUST bind it when nodes come.",
    clauses=["GANG-05", "GANG-60"],
    level="extended",
)
def test_gang_before_the_first_node_starts_when_nodes_come(world: World) -> None:
    gang = world.submit(Gang("early", size=4, gpus=2))
    gang.is_tried_again()

    world.nodes(2, gpus=4)

    assert gang.is_bound_whole()
