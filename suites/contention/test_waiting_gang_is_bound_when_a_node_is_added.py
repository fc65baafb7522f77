"""Room that comes from outside: what an autoscaler does for a gang."""

from harness import Gang, World, case


@case(
    "A waiting gang MUST be bound whole when a node is added that makes it fit.",
    profile="GANG-CORE",
    clauses=["GANG-05", "WL-44", "WL-56", "KOORD-22"],
)
def test_waiting_gang_is_bound_when_a_node_is_added(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    world.nodes(1, gpus=4)

    assert gang.is_bound_whole()
