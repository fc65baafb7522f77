"""The positive half of the evidence that the programme asks for, seen bind by bind instead of by a count at the
end."""

from harness import Gang, World, case


@case(
    "A job whose pods all fit MUST have all of them started.",
    clauses=["KAR-0053-1", "GANG-01"],
)
def test_job_that_fits_runs(world: World) -> None:
    world.nodes(2, gpus=8)

    job = world.submit(Gang("training", size=4, gpus=4))

    assert job.is_bound_whole()
