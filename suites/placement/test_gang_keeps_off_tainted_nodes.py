"""A taint takes a node away from a gang as it does from any pod; the part that would fit elsewhere must not run
alone."""

from harness import Gang, Taint, World, case


@case(
    "A gang without the toleration MUST NOT use tainted nodes, and MUST NOT be bound in part beside them.",
    clauses=["GANG-11", "WL-47"],
)
def test_gang_keeps_off_tainted_nodes(world: World) -> None:
    world.nodes(1, gpus=4)
    world.nodes(1, gpus=4, name="reserved", taints=[Taint("example.com/reserved")])

    gang = world.submit(Gang("plain", size=4, gpus=2))

    assert gang.is_refused()
    assert gang.stays_pending()
