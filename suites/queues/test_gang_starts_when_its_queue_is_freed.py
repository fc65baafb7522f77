"""Two gangs in a queue for one, in a cluster for two."""

from harness import Gang, World, case


@case(
    "A gang that waits for its queue MUST be bound whole when the gang that fills the queue is deleted.",
    clauses=["GANG-05", "GANG-25"],
)
def test_gang_starts_when_its_queue_is_freed(world: World) -> None:
    world.nodes(4, gpus=4)
    queue = world.queues.add("single", gpus=8)
    first = world.submit(Gang("first", size=4, gpus=2, queue=queue))
    assert first.is_bound_whole()
    second = world.submit(Gang("second", size=4, gpus=2, queue=queue))
    assert second.is_refused()
    assert second.stays_pending()

    first.delete()

    assert second.is_bound_whole()
