"""A Job was let in, and two of its three pods found a place. They wait for the third while nobody else may use it."""

from harness import Gang, World, case


@case(
    "A gang that was let into its queue and does not run whole in time MUST give back everything it holds.",
    clauses=["QUEUE-10", "GANG-23"],
    needs=["queued-job", "gives-up"],
)
def test_gang_that_is_not_whole_in_time_gives_up(world: World) -> None:
    world.nodes(2, gpus=3)
    queue = world.queues.add("fitting", gpus=6)

    gang = world.submit(Gang("hopeful", size=3, gpus=2, queue=queue, style="job"))
    world.until(lambda: gang.bound > 0, "window")

    assert gang.is_released()
