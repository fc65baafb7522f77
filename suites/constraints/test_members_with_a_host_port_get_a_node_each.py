"""A port of a host can be given once, so each member needs a node of its own, and the roomiest node takes one."""

from harness.cases.language import Gang, World, case, host_port


@case(
    "A gang whose members take the same port of their hosts MUST be bound whole with a node for each member.",
    clauses=["GANG-11", "WL-47", "WL-81"],
    needs=["host-ports"],
    level="extended",
)
def test_members_with_a_host_port_get_a_node_each(world: World) -> None:
    world.nodes(1, gpus=8)
    world.nodes(2, gpus=1)

    gang = world.submit(Gang("serving", size=3, gpus=1), alter=host_port(8080))

    assert gang.is_bound_whole()
    assert world.are_on("each member has a node of its own", gang, count=3)
