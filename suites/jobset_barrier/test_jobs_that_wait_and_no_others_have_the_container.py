"""What the design's own integration test looks at: child Jobs, their init container, its mount and its ConfigMap."""

from harness.barriers import BarrierSet, ReplicatedJob, has_barrier
from harness.case import case
from harness.world import World


@case(
    "All Jobs of the targets, and no others, MUST have the waiting container and its optional ConfigMap mounted.",
    clauses=["BAR-06", "BAR-25"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_jobs_that_wait_and_no_others_have_the_container(world: World) -> None:
    jobs = ReplicatedJob("driver"), ReplicatedJob("workers", replicas=3), ReplicatedJob("proxy", replicas=2)
    jobset = BarrierSet(world, "parts", *jobs, targets=["driver", "workers"]).submit()
    assert world.sees("all Jobs are made", lambda: len(jobset.jobs()) == 6)
    found = {
        name: has_barrier(job["spec"]["template"]["spec"], jobset.signal_map) for name, job in jobset.jobs().items()
    }
    wanted = {name: "-proxy-" not in name for name in found}
    assert world.claim("the Jobs of the targets have the barrier", found == wanted, str(found))
