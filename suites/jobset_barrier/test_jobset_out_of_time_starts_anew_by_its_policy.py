"""A pod out of time is an ordinary failure: a JobSet that may restart does, and waits for its pods again."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World

TIMEOUT = 4  # seconds the JobSet allows


@case(
    "A JobSet out of time that may restart MUST restart, and start whole once there is room.",
    clauses=["BAR-20", "BAR-26"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_jobset_out_of_time_starts_anew_by_its_policy(world: World) -> None:
    world.nodes(1, gpus=1)
    jobs = ReplicatedJob(), ReplicatedJob("missing", gpus=2)
    jobset = BarrierSet(world, "again", *jobs, timeout=TIMEOUT, restarts=50).submit()
    assert jobset.has_waiting(1)
    assert world.sees("the JobSet restarts", lambda: jobset.restarts > 0, "projected")
    world.nodes(1, gpus=2, name="late")
    assert jobset.is_released()
