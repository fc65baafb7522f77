"""The gang was satisfied in the eyes of a scheduler that is no more; its successor sees one pod that is no quorum."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A replacement MUST be bound into its running gang also after a restart of the scheduler.",
    clauses=["GANG-14", "GANG-16", "WL-78", "KOORD-33", "KOORD-35"],
    needs=["gang", "restart-safe"],
    profile="GANG-RECOVERY",
    disruptive=True,
)
def test_replacement_after_a_restart_joins_the_running_gang(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("running", size=4, gpus=2))
    assert gang.is_bound_whole()
    world.restart("scheduler")
    assert gang.lose("running-0")

    gang.create_again("running-0")

    assert gang.is_bound_whole()
