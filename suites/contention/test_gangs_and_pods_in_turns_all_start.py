"""Single pods between the members of gangs: neither may be lost behind the other."""

from harness import Gang, World, case


@case(
    "Gangs and pods of no gang that are submitted in turns MUST all be bound if there is room for all.",
    clauses=["GANG-12", "WL-63", "WL-66"],
)
def test_gangs_and_pods_in_turns_all_start(world: World) -> None:
    world.nodes(4, gpus=8)
    gangs = [world.submit(Gang(f"gang-{n}", size=4, gpus=1, missing=4)) for n in range(4)]
    pods = []

    for _ in range(4):
        for gang in gangs:
            gang.create_missing(1)
            pods.append(world.pod(gpus=1))

    assert world.gangs.all_start(*gangs)
    assert world.is_bound(*pods)
