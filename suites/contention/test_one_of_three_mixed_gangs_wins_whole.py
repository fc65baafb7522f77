"""Members of three gangs arrive in turns, so that a scheduler that goes pod by pod takes one of each."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "Of three gangs whose members arrive in turns, with room for one, exactly one MUST be bound whole.",
    clauses=["GANG-03", "GANG-07", "WL-35", "WL-64"],
)
def test_one_of_three_mixed_gangs_wins_whole(world: World) -> None:
    world.nodes(2, gpus=4)

    gangs = world.submit_mixed(*(Gang(name, size=4, gpus=2) for name in ("red", "green", "blue")))

    verdict, winner = world.one_of(*gangs)
    assert verdict
    for gang in gangs:
        assert gang is winner or gang.is_refused()
