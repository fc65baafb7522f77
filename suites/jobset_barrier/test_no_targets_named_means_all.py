"""Leaving the targets out, null and an empty list all mean the same: every replicated job."""

from harness.barriers import BarrierSet, ReplicatedJob, has_barrier, template
from harness.case import case
from harness.world import World


@case(
    "A barrier that names no targets MUST hold every replicated job.",
    clauses=["BAR-02", "BAR-14"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_no_targets_named_means_all(world: World) -> None:
    world.nodes(1, gpus=2)
    jobs = ReplicatedJob("leader"), ReplicatedJob("workers", pods=2)
    for name, config in (("nothing", {"targetReplicatedJobs": None}), ("empty", {"targetReplicatedJobs": []})):
        suspended = BarrierSet(world, name, *jobs, config=config, suspended=True).submit()
        held = [has_barrier(template(suspended.stored(), job.name), suspended.signal_map) for job in jobs]
        assert world.claim(f"with {config} every replicated job has the barrier", held == [True, True])

    absent = BarrierSet(world, "absent", *jobs).submit()
    assert absent.has_waiting(2)
    assert absent.stays_held()
    world.nodes(1, gpus=1, name="late")
    assert absent.is_released()
