"""A node dies under a running gang. Its members are deleted and made again by their controller, and must find a
place."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "Members lost with their node MUST be bound into their gang elsewhere when they are created again.",
    clauses=["GANG-14", "GANG-17", "WL-45"],
    profile="GANG-RECOVERY",
)
def test_members_of_a_removed_node_come_back_elsewhere(world: World) -> None:
    lost, _ = world.nodes(2, gpus=4)
    gang = world.submit(Gang("running", size=4, gpus=2))
    assert gang.is_bound_whole()
    members = [one.name for one in gang.members() if one.state.get("node") == lost]

    world.remove_node(lost)
    assert gang.lose(*members)
    world.nodes(1, gpus=4, name="spare")
    for member in members:
        gang.create_again(member)

    assert gang.is_bound_whole()
