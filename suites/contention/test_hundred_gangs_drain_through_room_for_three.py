"""A long line at a narrow door. Backoff, fairness and lost wake-ups all show as gangs that never get through."""

from harness import Gang, World, case


@case(
    "A hundred gangs with room for three at a time MUST all run to their end.",
    clauses=["GANG-03", "GANG-04", "GANG-26", "WL-65"],
    level="extended",
    slow=True,
)
def test_hundred_gangs_drain_through_room_for_three(world: World) -> None:
    world.nodes(3, gpus=2)

    gangs = [world.submit(Gang(f"gang-{n}", size=2, gpus=1, lifetime=0.1)) for n in range(100)]

    assert world.gangs.all_start(*gangs)
