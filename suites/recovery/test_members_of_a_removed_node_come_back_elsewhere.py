"""A node dies under a running gang. Its members are deleted and made again by their controller, and must find a
place."""

from harness import Gang, World, case


@case(
    "Members lost with their node MUST be bound into their gang elsewhere when they are created again.",
    clauses=["GANG-14", "GANG-17", "WL-45"],
    disturbs="nodes",
)
def test_members_of_a_removed_node_come_back_elsewhere(world: World) -> None:
    lost, _ = world.nodes(2, gpus=4)
    gang = world.submit(Gang("running", size=4, gpus=2))
    assert gang.is_bound_whole()
    members = [pod.name for pod in gang.pods() if pod.state.get("node") == lost]

    world.cluster.remove(lost)
    gang.delete(*members)
    assert gang.is_gone(*members)
    world.nodes(1, gpus=4, name="spare")
    gang.create_again(*members, suffix="-again")

    assert gang.is_bound_whole()
