"""The gang waits for one more node, and loses one instead."""

from harness import Gang, World, case


@case(
    "A gang MUST NOT be bound in part when a node is removed while another arrives.",
    clauses=["GANG-02", "GANG-17"],
    disturbs="nodes",
)
def test_node_removed_while_a_gang_waits_keeps_it_waiting(world: World) -> None:
    first, *_ = world.nodes(2, gpus=2)
    gang = world.submit(Gang("patient", size=3, gpus=2))
    assert gang.is_refused()

    world.cluster.remove(first)
    world.nodes(1, gpus=2)
    assert gang.stays_pending()
    world.nodes(1, gpus=2)

    assert gang.is_bound_whole()
