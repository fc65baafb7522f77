"""A Job is suspended for others and resumed while they still run: half of it would fit, and must not start."""

from harness.cases.language import Gang, Job, World, case


@case(
    "A suspended job MUST give its room back, and when it is resumed it MUST start whole or not at all.",
    clauses=["GANG-39", "GANG-13", "GANG-02"],
    needs=["starts-anew", "job-gang"],
)
def test_suspended_job_starts_whole_again(world: World) -> None:
    world.nodes(2, gpus=4)
    job = world.submit(Job("training", size=4, gpus=2))
    assert job.is_bound_whole()

    job.suspend()
    assert job.is_released()
    other = world.submit(Gang("other", size=2, gpus=2))
    assert other.is_bound_whole()
    job.resume()
    assert job.is_refused()
    other.delete()

    assert job.is_bound_whole()
