"""A member is lost and comes back. The other rack has more room, but its gang is not there."""

from harness.box.nodes import RACK
from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A replacement MUST be bound inside the domain of its gang.",
    clauses=["GANG-14", "GANG-24"],
    needs=["gang", "topology"],
    profile="GANG-TOPOLOGY",
)
def test_replacement_returns_to_the_domain(world: World) -> None:
    world.nodes(2, gpus=8, racks=2)
    gang = world.submit(Gang("close", size=3, gpus=2, topology=RACK))
    assert gang.is_bound_whole()
    home = world.domains(gang, RACK)
    assert world.claim("all members are in one rack", len(home) == 1, str(sorted(home)))
    assert gang.lose("close-1")

    gang.create_again("close-1")

    assert gang.is_bound_whole()
    assert world.claim("the gang is where it was", world.domains(gang, RACK) == home, str(sorted(home)))
