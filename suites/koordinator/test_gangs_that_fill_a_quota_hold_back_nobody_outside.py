"""Gangs that keep their places can fill a quota in parts and wait for each other. The room beside it is not theirs."""

from harness import Gang, World, case


@case(
    "A gang outside the quota that gangs in it have filled in parts MUST be bound, and the quota MUST NOT be exceeded.",
    clauses=["GANG-25", "KOORD-25"],
    needs=["nonstrict", "queue"],
    level="extended",
    disturbs="scheduler",
)
def test_gangs_that_fill_a_quota_hold_back_nobody_outside(world: World) -> None:
    world.nodes(1, gpus=16)
    queue, other = world.queues.add("ten", gpus=10), world.queues.add("six", gpus=6)
    gangs = world.gangs.submit_in_turns(
        *(Gang(name, size=5, style="nonstrict", timeout=60, queue=queue) for name in ("a", "b", "c"))
    )
    assert world.scheduler_is_working()

    outside = world.submit(Gang("outside", size=6, queue=other))

    assert outside.is_bound_whole()
    assert world.stand("the quota of ten is not exceeded", *gangs, most=10)
