"""The queue allows the gang, the nodes have as many GPUs, and still there is no place for the last member."""

from harness import Gang, World, case


@case(
    "A gang that its queue allows MUST NOT have a member bound when the free GPUs are in the wrong places.",
    clauses=["QUEUE-01", "GANG-02", "GANG-11"],
)
def test_fragmented_room_in_a_queue_is_no_room(world: World) -> None:
    world.nodes(2, gpus=3)
    queue = world.queues.add("fitting", gpus=6)

    gang = world.submit(Gang("wide", size=3, gpus=2, queue=queue))

    assert gang.is_refused()
    assert gang.stays_pending()
