"""Members talk to each other all the time; the network inside a rack is the fast one."""

from harness.box.nodes import RACK
from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A gang that asks for one domain MUST be bound whole inside one.",
    clauses=["GANG-24"],
    needs=["gang", "topology"],
    profile="GANG-TOPOLOGY",
)
def test_gang_is_placed_inside_one_domain(world: World) -> None:
    world.nodes(4, gpus=4, racks=2)

    gang = world.submit(Gang("close", size=4, gpus=2, topology=RACK))

    assert gang.is_bound_whole()
    racks = world.domains(gang, RACK)
    assert world.claim("all members are in one rack", len(racks) == 1, str(sorted(racks)))
