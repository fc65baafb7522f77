"""Nodes are reserved by a taint, and one day they are not."""

from harness import Gang, Taint, World, case

RESERVED = "example.com/reserved"


@case(
    "A waiting gang MUST be bound whole when the taint is removed from the node that it lacks.",
    profile="GANG-CORE",
    clauses=["GANG-05", "GANG-11", "WL-44", "WL-56"],
    level="extended",
    disturbs="nodes",
)
def test_waiting_gang_is_bound_when_a_taint_is_removed(world: World) -> None:
    world.nodes(1, gpus=4)
    (reserved,) = world.nodes(1, gpus=4, name="reserved", taints=[Taint(RESERVED)])
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    world.cluster.untaint(reserved, RESERVED)

    assert gang.is_bound_whole()
