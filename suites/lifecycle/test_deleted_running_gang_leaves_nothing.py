"""The usual end of a job that is cancelled while it runs."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A running gang that is deleted MUST leave nothing behind, and its room MUST be open to the next.",
    clauses=["GANG-13", "WL-65"],
    profile="GANG-LIFECYCLE",
)
def test_deleted_running_gang_leaves_nothing(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("cancelled", size=4, gpus=2))
    assert gang.is_bound_whole()

    world.free(gang)

    assert gang.is_gone()
    assert world.submit(Gang("next", size=4, gpus=2)).is_bound_whole()
