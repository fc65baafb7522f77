"""Two teams have half of the GPUs each. One of them is on holiday."""

from harness import Gang, World, case


@case(
    "A gang larger than the share of its queue MUST be bound whole while another queue leaves its share unused.",
    clauses=["QUEUE-07", "GANG-01"],
    needs=["borrowing"],
)
def test_gang_borrows_what_another_queue_leaves(world: World) -> None:
    world.nodes(2, gpus=4)
    mine = world.queues.add_shared("mine", gpus=4)
    world.queues.add_shared("theirs", gpus=4)

    gang = world.submit(Gang("wide", size=4, gpus=2, queue=mine))

    assert gang.is_bound_whole()
