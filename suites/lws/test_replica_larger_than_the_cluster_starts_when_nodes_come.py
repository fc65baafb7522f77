"""A replica that asks for more than the whole cluster has is not lost: clusters grow."""

from harness.cases.language import LWS, World, case


@case(
    "A replica larger than the cluster MUST be bound whole once nodes have come.",
    clauses=["LWS-02", "LWS-03"],
)
def test_replica_larger_than_the_cluster_starts_when_nodes_come(world: World) -> None:
    world.nodes(1, gpus=2)
    lws = world.submit(LWS(size=3, gpus=2, leader=0))
    assert lws.is_complete()
    assert lws.gangs[0].is_refused()

    world.nodes(1, gpus=2)

    assert lws.is_bound_whole()
