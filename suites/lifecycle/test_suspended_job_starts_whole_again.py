"""A Job is suspended for others and resumed while they still run: half of it would fit, and must not start."""

from harness.case import case
from harness.core.gang import Gang
from harness.jobs import submit_job
from harness.world import World


@case(
    "A suspended job MUST give its room back, and when it is resumed it MUST start whole or not at all.",
    clauses=["GANG-39", "GANG-13", "GANG-02"],
    needs=["gang", "starts-anew"],
    profile="GANG-LIFECYCLE",
)
def test_suspended_job_starts_whole_again(world: World) -> None:
    world.nodes(2, gpus=4)
    job = submit_job(world, Gang("training", size=4, gpus=2))
    assert job.gang.is_bound_whole()

    job.suspend()
    assert job.gang.is_released()
    other = world.submit(Gang("other", size=2, gpus=2))
    assert other.is_bound_whole()
    job.resume()
    assert job.gang.is_refused()
    world.free(other)

    assert job.gang.is_bound_whole()
