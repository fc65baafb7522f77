"""The master is done, and the job says that it then is complete: its workers go, and the next gang gets their room."""

from harness.cases.language import VCJOB, Gang, Object, Role, World, case


def completing(job: Object) -> None:
    if job["kind"] == "Job":
        job["spec"]["tasks"][0]["policies"] = [{"event": "TaskCompleted", "action": "CompleteJob"}]


@case(
    "A job that is complete when a task is MUST end its other pods then, and MUST leave their room to others.",
    clauses=["VCJ-03", "GANG-26"],
    needs=["vcjob"],
)
def test_completed_task_completes_the_vcjob(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = Gang("training", roles=(Role("master", 1, gpus=2), Role("worker", 3, gpus=2)), style="vcjob")
    objects = world.objects.of(gang)
    for obj in objects:
        completing(obj)
    job = world.submit(gang, objects=objects)
    assert job.is_bound_whole()
    waiting = world.submit(Gang("next", size=4, gpus=2))
    assert waiting.is_refused()

    assert job.ends("Succeeded", "training-master-0")

    def phase() -> str:
        return str(world.objects.get(VCJOB, "training")["status"]["state"]["phase"])

    assert world.sees("the job is completed", phase, equals="Completed")
    assert waiting.is_bound_whole()
