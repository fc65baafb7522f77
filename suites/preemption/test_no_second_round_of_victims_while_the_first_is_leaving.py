"""Victims take their time to go. A scheduler that looks again meanwhile sees the room still taken and picks more."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "While its victims are leaving a gang MUST NOT evict others.",
    clauses=["GANG-21", "WL-73", "WL-75"],
    needs=["gang", "preemption"],
    profile="GANG-PREEMPTION",
    level="extended",
)
def test_no_second_round_of_victims_while_the_first_is_leaving(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    fillers = [world.pod(gpus=2, priority=low, alter=world.clings) for _ in range(4)]
    assert world.starts(*fillers)

    gang = world.submit(Gang("urgent", size=2, gpus=2, priority=high))
    assert world.until(lambda: len(world.leaving()) >= 2, "evicted")
    assert gang.still_waits()
    leaving = world.leaving()
    world.let_go()

    assert world.claim("two of four fillers are leaving", len(leaving) == 2, f"leaving: {leaving}")
    assert gang.is_bound_whole()
