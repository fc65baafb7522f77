"""After a restart the books are empty. Whoever counts running gangs as free room overbooks."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A restarted scheduler MUST count gangs that run: one that does not fit beside them waits, and starts later.",
    clauses=["GANG-04", "GANG-16", "WL-78"],
    needs=["gang", "restart-safe"],
    profile="GANG-RECOVERY",
    disruptive=True,
)
def test_restarted_scheduler_knows_what_runs(world: World) -> None:
    world.nodes(2, gpus=4)
    first = world.submit(Gang("first", size=4, gpus=2))
    assert first.is_bound_whole()

    world.restart("scheduler")
    second = world.submit(Gang("second", size=2, gpus=2))
    assert second.is_refused()
    world.free(first)

    assert second.is_bound_whole()
