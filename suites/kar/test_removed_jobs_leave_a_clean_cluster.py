"""One job runs, one waits. Both are removed, and the cluster is as it was: a job that needs all of it runs."""

from harness import Gang, World, case


@case(
    "After jobs that ran and waited are removed nothing of them MUST be left, and the next job MUST run.",
    clauses=["KAR-0053-3", "GANG-13"],
)
def test_removed_jobs_leave_a_clean_cluster(world: World) -> None:
    world.nodes(2, gpus=8)
    ran = world.submit(Gang("ran", size=4, gpus=4))
    assert ran.is_bound_whole()
    waited = world.submit(Gang("waited", size=4, gpus=4))
    assert waited.is_refused()

    for job in (waited, ran):
        job.delete()
        assert job.is_gone()

    assert world.submit(Gang("next", size=4, gpus=4)).is_bound_whole()
