"""Leaving the targets out, null and an empty list all mean the same: every replicated job."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, barrier_map, case


@case(
    "A barrier that names no targets MUST hold every replicated job.",
    clauses=["BAR-02", "BAR-14"],
)
def test_no_targets_named_means_all(world: World) -> None:
    world.nodes(1, gpus=2)
    jobs = ReplicatedJob("leader"), ReplicatedJob("workers", pods=2)
    for name, config in (("nothing", {"targetReplicatedJobs": None}), ("empty", {"targetReplicatedJobs": []})):
        suspended = world.submit(BarrierJobSet(*jobs, name=name, config=config, suspended=True))
        assert world.sees(f"the Jobs of {name} are made", suspended.jobs, count=2)
        held = [barrier_map(job["spec"]["template"]["spec"]) for job in suspended.jobs().values()]
        assert world.finds(f"with {config} every replicated job has the barrier", held, excludes=[""])

    absent = world.submit(BarrierJobSet(*jobs, name="absent"))
    assert absent.has_waiting(2)
    assert absent.stays_held()
    world.nodes(1, gpus=1, name="late")
    assert absent.has_passed()
