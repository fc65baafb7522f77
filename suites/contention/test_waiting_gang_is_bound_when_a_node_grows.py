"""Room that a node finds in itself, as when a device plugin reports a repaired GPU."""

from harness import Gang, World, case


@case(
    "A waiting gang MUST be bound whole when a node grows enough for it.",
    profile="GANG-CORE",
    clauses=["GANG-05", "WL-44", "WL-56"],
    disturbs="nodes",
)
def test_waiting_gang_is_bound_when_a_node_grows(world: World) -> None:
    first, _ = world.nodes(2, gpus=3)
    gang = world.submit(Gang("patient", size=3, gpus=2))
    assert gang.is_refused()

    world.cluster.resize(first, gpus=4)

    assert gang.is_bound_whole()
