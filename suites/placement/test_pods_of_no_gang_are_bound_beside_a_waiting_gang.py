"""A waiting gang owns nothing. Pods that fit run."""

from harness import Gang, World, case


@case(
    "Pods of no gang MUST be bound while a gang that does not fit waits.",
    clauses=["GANG-12", "GANG-19", "WL-25", "WL-63"],
)
def test_pods_of_no_gang_are_bound_beside_a_waiting_gang(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("huge", size=4, gpus=4))
    assert gang.is_refused()

    pods = [world.pod(gpus=1) for _ in range(8)]

    assert world.is_bound(*pods)
    assert gang.stays_pending()
