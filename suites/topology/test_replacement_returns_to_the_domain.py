"""A member is lost and comes back. The other rack has more room, but its gang is not there."""

from harness import Gang, World, case


@case(
    "A replacement MUST be bound inside the domain of its gang.",
    clauses=["GANG-14", "GANG-24"],
)
def test_replacement_returns_to_the_domain(world: World) -> None:
    world.nodes(2, gpus=8, racks=2)
    gang = world.submit(Gang("close", size=3, gpus=2, topology=world.cluster.RACK))
    assert gang.is_bound_whole()
    home = world.cluster.domains(gang)
    assert world.are_on("all members are in one rack", gang, by=world.cluster.RACK, count=1)
    gang.delete("close-1")
    assert gang.is_gone("close-1")

    gang.create_again("close-1")

    assert gang.is_bound_whole()
    assert world.are_on("the gang is where it was", gang, by=world.cluster.RACK, equals=home)
