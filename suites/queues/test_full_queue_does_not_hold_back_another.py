"""A gang that waits in one queue does not matter to the other."""

from harness import Gang, World, case


@case(
    "A gang in a queue with room MUST be bound whole while a gang in a full queue waits.",
    clauses=["GANG-19", "GANG-25"],
)
def test_full_queue_does_not_hold_back_another(world: World) -> None:
    world.nodes(4, gpus=4)
    full, free = world.queues.add("full", gpus=2), world.queues.add("free", gpus=8)
    waiting = world.submit(Gang("waiting", size=4, gpus=2, queue=full))
    assert waiting.is_refused()

    gang = world.submit(Gang("lucky", size=4, gpus=2, queue=free))

    assert gang.is_bound_whole()
    assert waiting.stays_pending()
