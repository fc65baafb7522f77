"""A cluster is scaled down to nothing and up again while a gang waits in it."""

from harness import Gang, World, case


@case(
    "A scheduler MUST NOT end by itself when the last node goes while a gang waits, and MUST bind it when nodes come.",
    clauses=["GANG-05", "GANG-17", "GANG-60"],
    level="extended",
    disturbs="nodes",
)
def test_last_node_goes_while_a_gang_waits(world: World) -> None:
    (node,) = world.nodes(1, gpus=1)
    gang = world.submit(Gang("patient", size=4, gpus=1))
    assert gang.is_refused()
    assert gang.stays_pending()

    world.cluster.remove(node)
    gang.is_tried_again()
    world.nodes(2, gpus=2)

    assert gang.is_bound_whole()
