"""Room appears on a new node before the victims are gone: the gang may take it, and nobody else may fall for it."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A gang whose victims are leaving MUST NOT evict others when room appears, and MUST be bound whole.",
    clauses=["GANG-21", "WL-74"],
    needs=["gang", "preemption"],
    profile="GANG-PREEMPTION",
    level="extended",
)
def test_gang_may_start_elsewhere_while_victims_leave(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    fillers = [world.pod(gpus=2, priority=low, alter=world.clings) for _ in range(4)]
    assert world.starts(*fillers)
    gang = world.submit(Gang("urgent", size=2, gpus=2, priority=high))
    assert world.until(lambda: len(world.leaving()) >= 2, "evicted")

    world.nodes(2, gpus=2, name="spare")
    assert world.passes()
    leaving = world.leaving()
    world.let_go()

    assert gang.is_bound_whole()
    assert world.claim("two of four fillers had to leave", len(leaving) == 2, f"leaving: {leaving}")
