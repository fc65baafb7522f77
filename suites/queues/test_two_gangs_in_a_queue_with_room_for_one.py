"""The queue was given more than there is, and lets both gangs in. Two of the three members of the first find a place,
the third does not, and what they hold is what the second gang needs."""

from harness import Gang, World, case


@case(
    "Of two gangs that their queue allows the one that fits MUST be bound whole, and the other not at all.",
    clauses=["QUEUE-02", "GANG-03", "GANG-07"],
)
def test_two_gangs_in_a_queue_with_room_for_one(world: World) -> None:
    world.nodes(2, gpus=3)
    queue = world.queues.add("generous", gpus=12)

    wide = world.submit(Gang("wide", size=3, gpus=2, queue=queue))
    slim = world.submit(Gang("slim", size=2, gpus=2, queue=queue))

    verdict, _ = world.gangs.one_of(wide, slim)
    assert verdict
    assert wide.is_refused()
