"""What most users submit: a Job with what the documentation asks for and nothing else, in room for all but one pod."""

from harness.cases.language import Job, World, case


@case(
    "A Job in room for a part of it MUST start as the documentation says: whole or not at all, or pod by pod.",
    clauses=["GANG-61"],
    either=["job-gang", "job-apart"],
)
def test_job_in_room_for_a_part_starts_as_documented(world: World) -> None:
    world.nodes(2, gpus=4)
    apart = world.has_feature("job-apart")

    job = world.submit(Job("training", size=5, gpus=2, apart=apart))

    if apart:
        assert world.stand("all pods but one are bound", job.gang, least=4, most=4, deadline="bound")
    else:
        assert job.is_refused()
        assert job.stays_pending()
    world.nodes(1, gpus=4)
    assert job.is_bound_whole()
