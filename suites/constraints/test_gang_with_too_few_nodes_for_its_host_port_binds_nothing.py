"""GPUs in plenty, but one node fewer than members that take the same port."""

from harness.cases.language import Gang, World, case, host_port


@case(
    "A gang whose members take the same port of their hosts MUST NOT be bound in part if there are too few nodes.",
    clauses=["GANG-02", "GANG-11", "WL-47", "WL-81"],
    needs=["host-ports"],
    level="extended",
)
def test_gang_with_too_few_nodes_for_its_host_port_binds_nothing(world: World) -> None:
    world.nodes(2, gpus=8)

    gang = world.submit(Gang("serving", size=3, gpus=1), alter=host_port(8080))

    assert gang.is_refused()
    assert gang.stays_pending()
