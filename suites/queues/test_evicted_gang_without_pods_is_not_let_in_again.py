"""A gang was evicted and nobody makes its pods again. When the queue has room, its turn must not come for nothing."""

from harness import Gang, World, case


@case(
    "An evicted gang that has no pods any more MUST NOT be let into its queue again.",
    clauses=["QUEUE-05", "GANG-25"],
    needs=["preemption", "priority", "gang-disruption"],
)
def test_evicted_gang_without_pods_is_not_let_in_again(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(2, gpus=4)
    queue = world.queues.add("single", gpus=8)
    evicted = world.submit(Gang("evicted", size=4, gpus=2, queue=queue, priority=low, disruption="gang"))
    assert evicted.is_bound_whole()
    urgent = world.submit(Gang("urgent", size=4, gpus=2, queue=queue, priority=high))
    assert urgent.is_bound_whole()

    urgent.delete()
    assert urgent.is_gone()
    following = world.submit(Gang("following", size=4, gpus=2, queue=queue, priority=low))

    assert following.is_bound_whole()
