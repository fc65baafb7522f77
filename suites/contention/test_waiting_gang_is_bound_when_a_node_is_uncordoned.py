"""Room that was there all the time and is allowed again."""

from harness import Gang, World, case


@case(
    "A waiting gang MUST be bound whole when the node that it lacks is uncordoned.",
    profile="GANG-CORE",
    clauses=["GANG-05", "GANG-11", "WL-44", "WL-56"],
    disturbs="nodes",
)
def test_waiting_gang_is_bound_when_a_node_is_uncordoned(world: World) -> None:
    shut, _ = world.nodes(2, gpus=4)
    world.cluster.cordon(shut)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    world.cluster.uncordon(shut)

    assert gang.is_bound_whole()
