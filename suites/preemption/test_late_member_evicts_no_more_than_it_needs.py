"""A gang runs and grows by a member for which there is no free room. It evicts one pod, as any pod of its priority."""

from harness import Gang, World, case


@case(
    "A member that joins a running gang MUST be bound by eviction where it needs that, and MUST NOT evict more.",
    clauses=["GANG-14", "GANG-21", "WL-45", "WL-76"],
    needs=["quorum"],
    level="extended",
)
def test_late_member_evicts_no_more_than_it_needs(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    gang = world.submit(Gang("growing", size=3, quorum=2, gpus=2, priority=high, missing=1))
    assert gang.is_bound_whole()
    fillers = [world.pod(gpus=2, priority=low) for _ in range(2)]
    assert world.is_bound(*fillers)

    gang.create_missing()

    assert gang.takes_in("growing-2")
    assert world.scheduler_is_working()
    assert world.stand("one of two fillers is spared", *fillers, least=1, most=1)
