"""Two JobSets of the same shape in one namespace: the one that is whole passes, the other waits."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "A JobSet MUST NOT be released by the signal or the pods of another one.",
    clauses=["BAR-28"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_jobsets_side_by_side_do_not_release_each_other(world: World) -> None:
    world.nodes(1, gpus=4)
    lacking = BarrierSet(world, "train", ReplicatedJob(), ReplicatedJob("tail", gpus=5)).submit()
    assert lacking.has_waiting(1)
    whole = BarrierSet(world, "train-b", ReplicatedJob(pods=2), ReplicatedJob("tail")).submit()
    assert whole.is_released()
    assert lacking.stays_held()
    world.nodes(1, gpus=5, name="late")
    assert lacking.is_released()
