"""A pod of no gang has the port on one of the nodes; when it goes, the gang starts."""

from harness.cases.language import Gang, World, case, host_port


@case(
    "A gang MUST NOT be bound in part while another pod has a port that it needs, and MUST be bound when it is free.",
    clauses=["GANG-02", "GANG-05", "GANG-11", "WL-47", "WL-81"],
    needs=["host-ports"],
    level="extended",
)
def test_host_port_of_another_pod_holds_the_gang(world: World) -> None:
    world.nodes(3, gpus=8)
    holder = world.pod(gpus=0, alter=host_port(8080))
    assert world.is_bound(holder)

    gang = world.submit(Gang("serving", size=3, gpus=1), alter=host_port(8080))
    assert gang.is_refused()
    assert gang.stays_pending()

    world.delete(holder)

    assert gang.is_bound_whole()
