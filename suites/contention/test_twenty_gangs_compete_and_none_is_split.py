"""The stress of the suite: many more gangs than room, everything watched, every gang either whole or absent at any
moment, and all of them through in the end."""

from harness import Gang, World, case


@case(
    "Of twenty gangs that compete for room for five, none MUST ever stand in part, and all MUST have their turn.",
    clauses=["GANG-03", "GANG-04", "GANG-07", "GANG-26", "WL-37", "WL-64", "WL-65"],
    level="extended",
)
def test_twenty_gangs_compete_and_none_is_split(world: World) -> None:
    world.nodes(5, gpus=4)

    gangs = [world.submit(Gang(f"gang-{n}", size=4, gpus=1, lifetime=0.2)) for n in range(20)]

    assert world.gangs.all_start(*gangs)
