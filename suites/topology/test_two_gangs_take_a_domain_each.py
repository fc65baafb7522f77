"""Each rack has room for one gang. Neither gang may spill into the other's."""

from harness.box.nodes import RACK
from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "Two gangs that each fill a domain MUST each be bound inside one.",
    clauses=["GANG-07", "GANG-24"],
    needs=["gang", "topology"],
    profile="GANG-TOPOLOGY",
)
def test_two_gangs_take_a_domain_each(world: World) -> None:
    world.nodes(2, gpus=4, racks=2)

    gangs = [world.submit(Gang(name, size=2, gpus=2, topology=RACK)) for name in ("one", "two")]

    for gang in gangs:
        assert gang.is_bound_whole()
        racks = world.domains(gang, RACK)
        assert world.claim(f"gang {gang.gang.name} is in one rack", len(racks) == 1, str(sorted(racks)))
