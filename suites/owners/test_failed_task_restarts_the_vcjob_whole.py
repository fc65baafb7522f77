"""A worker fails, and the job says that it then begins anew. Another gang waits for any room that becomes free."""

from harness.cases.language import Gang, Object, World, case


def restarting(job: Object) -> None:
    if job["kind"] == "Job":
        job["spec"]["policies"] = [{"event": "PodFailed", "action": "RestartJob"}]


@case(
    "A job that restarts when a pod fails MUST have all its pods made anew, and MUST be bound whole again.",
    clauses=["VCJ-02", "GANG-39"],
    needs=["vcjob"],
)
def test_failed_task_restarts_the_vcjob_whole(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = Gang("training", size=4, gpus=2, style="vcjob")
    objects = world.objects.of(gang)
    for obj in objects:
        restarting(obj)
    job = world.submit(gang, objects=objects)
    assert job.is_bound_whole()
    first = {record.uid for record in job.pods()}
    failing = min(record.name for record in job.pods())

    assert job.ends("Failed", failing)

    assert world.sees("all pods are new ones", lambda: {record.uid for record in job.pods()}, count=4, excludes=first)
    assert job.is_bound_whole()
