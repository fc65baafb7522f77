"""What can be borrowed ends where all shares end, though the nodes have more."""

from harness import Gang, World, case


@case(
    "A gang larger than all shares that it may borrow from MUST NOT have a single member bound.",
    clauses=["QUEUE-07", "GANG-25"],
    needs=["borrowing"],
)
def test_gang_over_all_shares_waits_whole(world: World) -> None:
    world.nodes(4, gpus=4)
    mine = world.queues.add_shared("mine", gpus=4)
    world.queues.add_shared("theirs", gpus=4)

    gang = world.submit(Gang("wide", size=5, gpus=2, queue=mine))

    assert gang.is_refused()
    assert gang.stays_pending()
