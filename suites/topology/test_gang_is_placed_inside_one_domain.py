"""Members talk to each other all the time; the network inside a rack is the fast one."""

from harness import Gang, World, case


@case(
    "A gang that asks for one domain MUST be bound whole inside one.",
    clauses=["GANG-24"],
)
def test_gang_is_placed_inside_one_domain(world: World) -> None:
    world.nodes(4, gpus=4, racks=2)

    gang = world.submit(Gang("close", size=4, gpus=2, topology=world.cluster.RACK))

    assert gang.is_bound_whole()
    assert world.are_on("all members are in one rack", gang, by=world.cluster.RACK, count=1)
