"""Exactly as much as the queue allows."""

from harness import Gang, World, case


@case(
    "A gang that takes all that its queue allows MUST be bound whole.",
    clauses=["GANG-01", "GANG-25"],
)
def test_gang_within_the_limit_of_its_queue_is_bound_whole(world: World) -> None:
    world.nodes(4, gpus=4)
    queue = world.queues.add("fitting", gpus=8)

    gang = world.submit(Gang("exact", size=4, gpus=2, queue=queue))

    assert gang.is_bound_whole()
