"""Room that was there all the time and is allowed again."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A waiting gang MUST be bound whole when the node that it lacks is uncordoned.",
    clauses=["GANG-05", "GANG-11", "WL-44", "WL-56"],
)
def test_waiting_gang_is_bound_when_a_node_is_uncordoned(world: World) -> None:
    shut, _ = world.nodes(2, gpus=4)
    world.cordon(shut)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    world.uncordon(shut)

    assert gang.is_bound_whole()
