"""The cluster has room. The queue has not, and not even for part of the gang may that be overlooked."""

from harness import Gang, World, case


@case(
    "A gang that exceeds the limit of its queue MUST NOT have a single member bound.",
    clauses=["GANG-25"],
)
def test_gang_over_the_limit_of_its_queue_waits_whole(world: World) -> None:
    world.nodes(4, gpus=4)
    queue = world.queues.add("narrow", gpus=6)

    gang = world.submit(Gang("wide", size=4, gpus=2, queue=queue))

    assert gang.is_refused()
    assert gang.stays_pending()
