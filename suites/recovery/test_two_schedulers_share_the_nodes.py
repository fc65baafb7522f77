"""Two schedulers that know nothing of each other place pods on the same nodes at the same time."""

from harness import Gang, World, case


@case(
    "When another scheduler uses the same nodes, overbooked nodes and split gangs are reported.",
    clauses=["GANG-30"],
    level="extended",
    disturbs="control-plane",
)
def test_two_schedulers_share_the_nodes(world: World) -> None:
    second = world.faults.start_second_scheduler()
    world.nodes(4, gpus=4)

    gang = world.submit(Gang("ours", size=8, gpus=1))
    strangers = [world.pod(gpus=2, alter=lambda pod: pod["spec"].update(schedulerName=second)) for _ in range(4)]

    gang.is_bound_whole()
    world.is_bound(*strangers)
