"""The user has a Job, and writes into its template what makes a gang of pods without an owner."""

from harness.cases.language import Job, World, case


@case(
    "A Job whose pods ask for a gang MUST be one, or its user MUST be told that it is none.",
    clauses=["GANG-62"],
)
def test_job_that_asks_for_a_gang_is_one_or_its_user_is_told(world: World) -> None:
    world.nodes(2, gpus=4)

    job = world.submit(Job("hopeful", size=5, gpus=2, by_pods=True, apart=True))

    if job.starts_in_part():
        assert world.sees("the user is told that the Job, of which a part runs, is no gang", job.warnings, least=1)
    else:
        assert world.stand("no pod of the Job is bound", job.gang, most=0)
