"""The running gang has two members more than it must have, which is just what the preemptor needs."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "When the surplus of a running gang would be enough for a preemptor, what is evicted is reported.",
    clauses=["GANG-31"],
    needs=["gang", "quorum", "preemption"],
    strength="OBSERVE",
    profile="GANG-PREEMPTION",
    level="extended",
)
def test_surplus_is_evicted_before_a_gang_is_broken(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(3, gpus=2)
    running = world.submit(Gang("running", size=6, quorum=4, gpus=1, priority=low))
    assert running.is_bound_whole()

    gang = world.submit(Gang("urgent", size=2, gpus=1, priority=high))

    gang.is_bound_whole()
    world.claim("the running gang keeps its quorum", running.bound >= 4, f"{running.bound} of 6 are left")
