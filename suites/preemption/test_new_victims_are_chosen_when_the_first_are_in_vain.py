"""A node that was to become free is cordoned while its pod still leaves: the first choice of victims has become
useless, and only now others may be chosen."""

from harness import Gang, World, case


@case(
    "A gang whose victims left in vain SHOULD evict others that it needs, and be bound whole.",
    clauses=["GANG-05", "WL-69", "WL-75"],
    level="extended",
    disturbs="nodes",
)
def test_new_victims_are_chosen_when_the_first_are_in_vain(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    fillers = [world.pod(gpus=2, priority=low, alter=world.faults.delay_deletion) for _ in range(4)]
    assert world.is_bound(*fillers)
    gang = world.submit(Gang("urgent", size=2, gpus=2, priority=high))
    evicted = world.until(lambda: len(world.cluster.terminating()) >= 2, "evicted")
    leaving = world.cluster.terminating()
    assert world.claim("two fillers are evicted", evicted or None, f"leaving: {leaving}")

    world.cluster.cordon(world.cluster.node_of(leaving[0]))
    world.faults.finish_deletions()
    world.until(lambda: gang.at_quorum or bool(world.cluster.terminating()), "evicted")
    world.faults.finish_deletions()

    assert gang.is_bound_whole()
    assert world.stand("one of four fillers is spared", *fillers, least=1, most=1)
