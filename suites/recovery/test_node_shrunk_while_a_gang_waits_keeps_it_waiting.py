"""Devices break: the node that would have been enough together with a new one is enough no longer."""

from harness import Gang, World, case


@case(
    "A gang MUST NOT be bound in part when a node shrinks while another arrives.",
    clauses=["GANG-02", "GANG-04", "GANG-17"],
    disturbs="nodes",
)
def test_node_shrunk_while_a_gang_waits_keeps_it_waiting(world: World) -> None:
    first, *_ = world.nodes(1, gpus=4)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    world.cluster.resize(first, gpus=2)
    world.nodes(1, gpus=4)
    assert gang.stays_pending()
    world.cluster.resize(first, gpus=4)

    assert gang.is_bound_whole()
