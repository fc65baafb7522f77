"""One place is missing, and the only one left is on a tainted node."""

from harness import Gang, Taint, World, case


@case(
    "A gang without the toleration MUST NOT use a tainted node for its last member.",
    clauses=["GANG-02", "GANG-11", "WL-47"],
    level="extended",
)
def test_taint_holds_the_last_member(world: World) -> None:
    world.nodes(1, gpus=4)
    world.nodes(1, gpus=4, name="reserved", taints=[Taint("example.com/reserved")])
    gang = world.submit(Gang("plain", size=3, gpus=2))
    assert gang.is_refused()
    assert gang.stays_pending()

    world.nodes(1, gpus=4)

    assert gang.is_bound_whole()
