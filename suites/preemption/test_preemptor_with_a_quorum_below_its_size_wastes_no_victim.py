"""Room for the quorum would be enough to start, room for all would be better. Whichever a scheduler makes, it must use
it: every filler that fell has a member in its place."""

from harness import Gang, World, case


@case(
    "A preemptor whose quorum is below its size MUST start, and MUST NOT evict more pods than it has members bound.",
    clauses=["GANG-20", "GANG-21", "WL-70", "WL-83"],
    needs=["quorum"],
    level="extended",
)
def test_preemptor_with_a_quorum_below_its_size_wastes_no_victim(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(6, gpus=2)
    fillers = [world.pod(gpus=2, priority=low) for _ in range(6)]
    assert world.is_bound(*fillers)

    gang = world.submit(Gang("urgent", size=4, quorum=2, gpus=2, priority=high))

    assert gang.reaches_quorum()
    assert world.scheduler_is_working()
    world.until(lambda: gang.bound == 4, "retried")
    sentence = "every filler that fell has a member in its place"
    assert world.stand(sentence, gang, *fillers, least=6, most=6, deadline="bound")
