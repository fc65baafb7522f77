"""What the design's own integration test looks at: child Jobs, their init container, its mount and its ConfigMap."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, barrier_map, case


@case(
    "All Jobs of the targets, and no others, MUST have the waiting container and its optional ConfigMap mounted.",
    clauses=["BAR-06", "BAR-25"],
)
def test_jobs_that_wait_and_no_others_have_the_container(world: World) -> None:
    jobs = ReplicatedJob("driver"), ReplicatedJob("workers", replicas=3), ReplicatedJob("proxy", replicas=2)
    jobset = world.submit(BarrierJobSet(*jobs, name="parts", targets=["driver", "workers"]))
    assert world.sees("all Jobs are made", jobset.jobs, count=6)
    barriers = {name: barrier_map(job["spec"]["template"]["spec"]) for name, job in jobset.jobs().items()}
    assert world.finds("a ConfigMap is mounted that may be missing", jobset.signal_map, differs="")
    expected = {name: "" if "-proxy-" in name else jobset.signal_map for name in barriers}
    assert world.finds("the Jobs of the targets have the barrier", barriers, equals=expected)
