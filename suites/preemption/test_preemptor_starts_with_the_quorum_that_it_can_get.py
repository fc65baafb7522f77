"""Two of four fillers may be evicted and two may not: that is the quorum, and no more."""

from harness import Gang, World, case


@case(
    "A preemptor MUST start with its quorum where victims make room for that and for no more.",
    clauses=["GANG-20", "WL-69", "WL-70", "WL-82"],
    needs=["quorum"],
    level="extended",
)
def test_preemptor_starts_with_the_quorum_that_it_can_get(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    equals = [world.pod(gpus=2, priority=high) for _ in range(2)]
    fillers = [world.pod(gpus=2, priority=low) for _ in range(2)]
    assert world.is_bound(*equals, *fillers)

    gang = world.submit(Gang("urgent", size=4, quorum=2, gpus=2, priority=high))

    assert gang.reaches_quorum()
    assert world.stand("pods of its own priority are left alone", *equals, least=2)
