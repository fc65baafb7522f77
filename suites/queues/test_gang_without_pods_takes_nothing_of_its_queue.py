"""Somebody deletes the pods of a gang and nothing else. The GPUs are free; the queue must know."""

from harness import Gang, World, case


@case(
    "A gang of which all pods were deleted MUST NOT use anything of its queue.",
    clauses=["QUEUE-05", "GANG-13"],
)
def test_gang_without_pods_takes_nothing_of_its_queue(world: World) -> None:
    world.nodes(2, gpus=4)
    queue = world.queues.add("single", gpus=8)
    gang = world.submit(Gang("deserted", size=4, gpus=2, queue=queue))
    assert gang.is_bound_whole()

    members = [f"deserted-{n}" for n in range(4)]
    gang.delete(*members)
    assert gang.is_gone(*members)
    following = world.submit(Gang("following", size=4, gpus=2, queue=queue))

    assert following.is_bound_whole()
