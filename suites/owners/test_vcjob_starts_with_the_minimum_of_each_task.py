"""A job of one master and four workers, of which two are enough: there is room for two pods, and then for three."""

from harness import Gang, Role, World, case


@case(
    "A job of several tasks MUST start when each task has its minimum, and MUST NOT have a pod bound before.",
    clauses=["VCJ-01", "GANG-32"],
    needs=["vcjob", "role-minima"],
)
def test_vcjob_starts_with_the_minimum_of_each_task(world: World) -> None:
    world.nodes(2, gpus=3)
    tasks = (Role("master", 1, gpus=2), Role("worker", 4, quorum=2, gpus=2))

    job = world.submit(Gang("training", roles=tasks, style="vcjob"))

    assert job.is_refused()
    assert job.stays_pending()
    world.nodes(1, gpus=2)
    assert job.reaches_quorum()
