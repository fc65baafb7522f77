"""Half of the gang is not there. Victims for the other half would fall for nothing."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A gang of which fewer members exist than its quorum MUST NOT evict anything.",
    clauses=["GANG-09", "GANG-20", "WL-29"],
    needs=["gang", "preemption"],
    profile="GANG-PREEMPTION",
)
def test_gang_below_its_quorum_never_preempts(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(2, gpus=4)
    running = world.submit(Gang("running", size=4, gpus=2, priority=low))
    assert running.is_bound_whole()
    running.stays_untouched()

    early = world.submit(Gang("early", size=4, gpus=2, priority=high, missing=2))

    assert early.still_waits()
    assert world.claim("all of the running gang still runs", running.bound == 4, f"{running.bound} of 4 are bound")
