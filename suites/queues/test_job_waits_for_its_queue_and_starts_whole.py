"""A queue holds back a Job, of which a part would fit into what is left."""

from harness import Gang, World, case


@case(
    "A Job that its queue holds back MUST NOT have a pod bound, and all of its pods MUST be bound when it may start.",
    clauses=["QUEUE-09", "GANG-05", "GANG-25"],
    needs=["queued-job"],
)
def test_job_waits_for_its_queue_and_starts_whole(world: World) -> None:
    world.nodes(4, gpus=4)
    queue = world.queues.add("narrow", gpus=12)
    first = world.submit(Gang("first", size=4, gpus=2, queue=queue, style="job"))
    assert first.is_bound_whole()
    second = world.submit(Gang("second", size=4, gpus=2, queue=queue, style="job"))
    assert second.is_refused()
    assert second.stays_pending()

    first.delete()

    assert second.is_bound_whole()
