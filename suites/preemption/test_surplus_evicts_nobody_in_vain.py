"""The quorum fits without any victim. Whether the rest evicts others to join is a question of taste; that each victim
has a member in its place is not."""

from harness import Gang, World, case


@case(
    "For surplus members nothing MUST be evicted beyond what they then use, and the quorum MUST start without victims.",
    clauses=["GANG-20", "GANG-21", "WL-70", "WL-76"],
    needs=["quorum"],
    level="extended",
)
def test_surplus_evicts_nobody_in_vain(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    fillers = [world.pod(gpus=2, priority=low) for _ in range(2)]
    assert world.is_bound(*fillers)

    gang = world.submit(Gang("urgent", size=3, quorum=2, gpus=2, priority=high))

    assert gang.reaches_quorum()
    assert world.scheduler_is_working()
    world.until(lambda: gang.bound == 3, "retried")
    sentence = "every filler that fell has a member in its place"
    assert world.stand(sentence, gang, *fillers, least=4, most=4, deadline="bound")
