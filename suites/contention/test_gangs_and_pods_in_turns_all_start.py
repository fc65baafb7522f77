"""Single pods between the members of gangs: neither may be lost behind the other."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "Gangs and pods of no gang that are submitted in turns MUST all be bound if there is room for all.",
    clauses=["GANG-12", "WL-63", "WL-66"],
    profile="GANG-CONTENTION",
)
def test_gangs_and_pods_in_turns_all_start(world: World) -> None:
    world.nodes(4, gpus=8)
    gangs = [world.submit(Gang(f"gang-{n}", size=4, gpus=1, missing=4)) for n in range(4)]
    pods = []

    for _ in range(4):
        for gang in gangs:
            gang.create_missing(1)
            pods.append(world.pod(gpus=1))

    assert world.all_start(*gangs)
    assert world.starts(*pods)
