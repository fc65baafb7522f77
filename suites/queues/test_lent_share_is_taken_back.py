"""The team is back from its holiday, and another one's job is in its half."""

from harness import Gang, World, case


@case(
    "A gang within the share of its queue MUST be bound whole although others have borrowed that share.",
    clauses=["QUEUE-08", "GANG-20", "GANG-22"],
    needs=["borrowing", "reclaim", "gang-disruption"],
)
def test_lent_share_is_taken_back(world: World) -> None:
    world.nodes(2, gpus=4)
    mine, theirs = world.queues.add_shared("mine", gpus=4), world.queues.add_shared("theirs", gpus=4)
    guest = world.submit(Gang("guest", size=4, gpus=2, queue=theirs, disruption="gang"))
    assert guest.is_bound_whole()

    owner = world.submit(Gang("owner", size=2, gpus=2, queue=mine))

    assert owner.is_bound_whole()
    assert guest.is_released()
