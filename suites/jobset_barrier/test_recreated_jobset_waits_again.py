"""A JobSet of the same name is another JobSet, even while the garbage collector still clears up after the first."""

from harness.barriers import JOBSET, BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "A JobSet that is deleted and made again under its name MUST find its barrier standing.",
    clauses=["BAR-26", "BAR-08"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_recreated_jobset_waits_again(world: World) -> None:
    _, late = world.nodes(2, gpus=1)
    first = BarrierSet(world, "twice", ReplicatedJob(pods=2)).submit()
    assert first.is_released()
    world.cordon(late)
    first.delete()
    assert world.sees("the first JobSet is gone", lambda: not world.find(JOBSET, "twice"))
    second = BarrierSet(world, "twice", ReplicatedJob(pods=2)).submit()
    assert second.has_waiting(1)
    assert second.stays_held()
    world.uncordon(late)
    assert second.is_released()
