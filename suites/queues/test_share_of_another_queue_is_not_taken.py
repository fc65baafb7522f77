"""Borrowing is no right: who keeps within the own share is safe from those who would like more than theirs."""

from harness import Gang, World, case


@case(
    "A gang that would have to borrow MUST NOT evict a gang that is within the share of its own queue.",
    clauses=["QUEUE-08", "GANG-20"],
    needs=["borrowing", "reclaim"],
)
def test_share_of_another_queue_is_not_taken(world: World) -> None:
    world.nodes(2, gpus=4)
    mine, theirs = world.queues.add_shared("mine", gpus=4), world.queues.add_shared("theirs", gpus=4)
    owner = world.submit(Gang("owner", size=2, gpus=2, queue=mine))
    assert owner.is_bound_whole()
    owner.must_stay_untouched()

    greedy = world.submit(Gang("greedy", size=4, gpus=2, queue=theirs))

    assert greedy.is_refused()
    assert greedy.stays_pending()
    assert world.stand("the owner keeps its nodes", owner, least=2)
