"""The cluster is full and the gang needs half of it."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A gang MUST NOT evict more pods than it needs to start.",
    clauses=["GANG-21", "WL-71", "WL-77"],
    needs=["gang", "preemption"],
    profile="GANG-PREEMPTION",
)
def test_no_more_victims_than_needed(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    fillers = [world.pod(gpus=2, priority=low) for _ in range(4)]
    assert world.starts(*fillers)

    gang = world.submit(Gang("urgent", size=2, gpus=2, priority=high))

    assert gang.is_bound_whole()
    kept = [pod for pod in fillers if world.is_bound(pod)]
    assert world.claim("two of four fillers were spared", len(kept) == 2, f"still there: {kept}")
