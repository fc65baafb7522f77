"""The negative half: one pod too many, and none may start while the cluster looks on."""

from harness import Gang, World, case


@case(
    "A job that does not fit as a whole MUST NOT have any pod started.",
    clauses=["KAR-0053-2", "GANG-02"],
)
def test_job_that_does_not_fit_does_not_run(world: World) -> None:
    world.nodes(2, gpus=8)

    job = world.submit(Gang("training", size=5, gpus=4))

    assert job.is_refused()
    assert job.stays_pending()
