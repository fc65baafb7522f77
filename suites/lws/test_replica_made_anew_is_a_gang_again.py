"""The second life of a replica is a gang like the first: its node has shrunk meanwhile, and not all of it fits."""

from harness.cases.language import LWS, World, case


@case(
    "A replica that is created again MUST wait whole while it does not fit, and MUST be bound whole when it does.",
    clauses=["LWS-02", "LWS-29"],
    disturbs="nodes",
)
def test_replica_made_anew_is_a_gang_again(world: World) -> None:
    (node,) = world.nodes(1, gpus=3)
    live = world.submit(LWS(size=3))
    assert live.is_bound_whole()

    world.cluster.resize(node, gpus=2)
    live.delete(leader=0)

    assert live.is_replaced()
    assert live.gangs[0].is_refused()
    world.cluster.resize(node, gpus=3)
    assert live.is_bound_whole()
