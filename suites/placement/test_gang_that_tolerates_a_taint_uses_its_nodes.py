"""Nodes are reserved by a taint for those who tolerate it; for them they are nodes like any other."""

from harness.cases.language import Gang, Taint, World, case, tolerates

RESERVED = "example.com/reserved"


@case(
    "A gang that tolerates the taint of the nodes that it needs MUST be bound whole.",
    clauses=["GANG-11", "WL-47"],
    level="extended",
)
def test_gang_that_tolerates_a_taint_uses_its_nodes(world: World) -> None:
    world.nodes(1, gpus=4)
    world.nodes(1, gpus=4, name="reserved", taints=[Taint(RESERVED, "training")])

    gang = world.submit(Gang("training", size=4, gpus=2), alter=tolerates(RESERVED, "training"))

    assert gang.is_bound_whole()
