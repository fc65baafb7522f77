"""Each rack has room for one gang. Neither gang may spill into the other's."""

from harness import Gang, World, case


@case(
    "Two gangs that each fill a domain MUST each be bound inside one.",
    clauses=["GANG-07", "GANG-24"],
)
def test_two_gangs_take_a_domain_each(world: World) -> None:
    world.nodes(2, gpus=4, racks=2)

    gangs = [world.submit(Gang(name, size=2, gpus=2, topology=world.cluster.RACK)) for name in ("one", "two")]

    for gang in gangs:
        assert gang.is_bound_whole()
        assert world.are_on(f"gang {gang.gang.name} is in one rack", gang, by=world.cluster.RACK, count=1)
