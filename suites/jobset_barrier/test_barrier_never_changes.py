"""Pod templates never change, and the barrier is in them; so the wish for it cannot change either."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "The wish for a barrier SHOULD be immutable: not to be added, changed or taken away.",
    clauses=["BAR-25"], needs=["jobset-barrier"], profile="JOBSET-BARRIER", strength="SHOULD",
)  # fmt: skip
def test_barrier_never_changes(world: World) -> None:
    said = "field is immutable"
    with_it = BarrierSet(world, "with", ReplicatedJob(), timeout=60, suspended=True).submit().object
    without = BarrierSet(world, "without", ReplicatedJob(member=False), asks=False, suspended=True).submit().object
    config = "groupSchedulingConfig"
    for change in ({"timeoutAfterSeconds": 61}, {"targetReplicatedJobs": ["workers"]}, None):
        assert world.rejects_change(with_it, {"spec": {config: change}}, f"changed to {change}", mention=said)
    assert world.rejects_change(without, {"spec": {config: {"timeoutAfterSeconds": 60}}}, "added", mention=said)
