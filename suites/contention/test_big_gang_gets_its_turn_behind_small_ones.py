"""Small gangs come and go in front of a gang that needs everything. When they have ended it must run."""

from harness import Gang, World, case


@case(
    "A gang that needs the whole cluster MUST be bound once the small gangs before it have ended.",
    clauses=["GANG-19", "GANG-26", "WL-44", "WL-63"],
)
def test_big_gang_gets_its_turn_behind_small_ones(world: World) -> None:
    world.nodes(2, gpus=4)
    small = [world.submit(Gang(f"small-{n}", size=2, gpus=1, lifetime=0.5)) for n in range(4)]
    big = world.submit(Gang("big", size=8, gpus=1, lifetime=0.5))  # a scheduler may well take it first

    assert world.gangs.all_start(*small, big)
