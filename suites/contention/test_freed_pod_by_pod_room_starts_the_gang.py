"""The room comes back in pieces, and each piece is a chance to start in part, or to sleep through the last one."""

from harness import Gang, World, case


@case(
    "A waiting gang MUST be bound whole after the pods that hold its room were deleted one by one.",
    profile="GANG-CORE",
    clauses=["GANG-02", "GANG-05", "WL-39", "WL-56", "KOORD-45"],
)
def test_freed_pod_by_pod_room_starts_the_gang(world: World) -> None:
    world.nodes(2, gpus=4)
    pods = [world.pod(gpus=2) for _ in range(4)]
    assert world.is_bound(*pods)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    for pod in pods:
        world.delete(pod)

    assert gang.is_bound_whole()
