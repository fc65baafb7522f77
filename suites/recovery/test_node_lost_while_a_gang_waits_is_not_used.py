"""A node falls silent before the gang could use it. When it is back, so is the room."""

from harness import Gang, World, case


@case(
    "A waiting gang MUST NOT use a node that is not ready, and MUST be bound whole when it is ready again.",
    clauses=["GANG-02", "GANG-05", "GANG-17"],
    disturbs="nodes",
)
def test_node_lost_while_a_gang_waits_is_not_used(world: World) -> None:
    _, second = world.nodes(2, gpus=4)
    world.cluster.lose(second)
    tainted = world.until(lambda: world.cluster.is_tainted(second), "bound")
    assert world.claim("the lost node is tainted", tainted or None)

    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()
    assert gang.stays_pending()
    world.cluster.recover(second)

    assert gang.is_bound_whole()
