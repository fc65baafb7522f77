"""A Job is evicted for a more urgent one. It may come back later; what it had of the queue is somebody else's now."""

from harness import Gang, World, case


@case(
    "When a gang was evicted, what it used of its queue MUST be free for another gang.",
    clauses=["QUEUE-04", "GANG-25"],
    needs=["preemption", "priority", "gang-disruption", "queued-job"],
)
def test_evicted_gang_frees_its_queue(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=4)
    queue = world.queues.add("narrow", gpus=8)
    evicted = world.submit(Gang("evicted", size=4, gpus=2, queue=queue, priority=low, disruption="gang", style="job"))
    assert evicted.is_bound_whole()

    urgent = world.submit(Gang("urgent", size=2, gpus=2, queue=queue, priority=high, style="job"))
    assert urgent.is_bound_whole()
    following = world.submit(Gang("following", size=2, gpus=2, queue=queue, priority=low, style="job"))

    assert following.is_bound_whole()
