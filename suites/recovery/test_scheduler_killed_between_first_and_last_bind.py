"""The worst moment to die. Part of the gang is bound for good, and the scheduler that comes after must finish the
work."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A gang whose scheduler was killed after its first bind MUST be bound whole by the next.",
    clauses=["GANG-03", "GANG-16", "WL-78", "KOORD-35"],
    needs=["gang", "restart-safe"],
    profile="GANG-RECOVERY",
    level="extended",
    disruptive=True,
)
def test_scheduler_killed_between_first_and_last_bind(world: World) -> None:
    world.nodes(5, gpus=8)

    gang = world.submit(Gang("torn", size=40, gpus=1))
    assert gang.begins()
    world.kill("scheduler")
    world.restart("scheduler")

    assert gang.is_bound_whole()
