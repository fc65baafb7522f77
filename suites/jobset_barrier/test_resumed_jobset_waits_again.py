"""Suspending ends all pods, resuming makes new ones: they have not started, whatever the last ones did."""

from harness.barriers import JOBSET, BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "After a JobSet was suspended and resumed its barrier MUST stand again.",
    clauses=["BAR-26", "BAR-11"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_resumed_jobset_waits_again(world: World) -> None:
    _, late = world.nodes(2, gpus=1)
    jobset = BarrierSet(world, "pause", ReplicatedJob(pods=2)).submit()
    assert jobset.is_released()
    world.cordon(late)
    world.change(JOBSET, "pause", {"spec": {"suspend": True}})
    assert world.sees("its pods are gone", lambda: not jobset.pods(), "gone")
    world.change(JOBSET, "pause", {"spec": {"suspend": False}})
    assert jobset.has_waiting(1)
    assert jobset.stays_held()
    world.uncordon(late)
    assert jobset.is_released()
