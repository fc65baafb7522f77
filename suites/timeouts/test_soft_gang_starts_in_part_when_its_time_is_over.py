"""The soft way: better some than none. For the history this is a gang of quorum one, since nothing else is
promised."""

from harness import Gang, World, case


@case(
    "A gang that gave up being a gang MUST have as many members bound as fit when its time is over.",
    clauses=["GANG-34"],
    needs=["timeout", "soft"],
    level="extended",
)
def test_soft_gang_starts_in_part_when_its_time_is_over(world: World) -> None:
    world.nodes(1, gpus=6)
    soft = Gang("soft", size=4, gpus=2, timeout=3, style="soft")

    gang = world.submit(soft.but(quorum=1), objects=world.objects.of(soft))

    assert world.stand("three of four members fit and are bound", gang, least=3, most=3, deadline="released")
