"""The declaration goes while the members wait, and then room appears for some of them."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "Waiting members whose group object is deleted MUST NOT be bound in part.",
    clauses=["GANG-02", "GANG-15", "WL-26"],
    needs=["gang", "group-object", "group-first"],
    profile="GANG-LIFECYCLE",
)
def test_gang_group_deleted_while_waiting_is_not_bound_in_part(world: World) -> None:
    world.nodes(1, gpus=2)
    gang = world.submit(Gang("orphans", size=4, gpus=2))
    assert gang.is_refused()

    gang.delete_group()
    world.nodes(1, gpus=4)

    assert gang.still_waits()
