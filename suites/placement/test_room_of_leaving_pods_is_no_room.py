"""A pod that is being deleted may take minutes to end, and until then its node has nothing to give to others."""

from harness import Gang, World, case


@case(
    "A gang MUST NOT be given the room of pods that are being deleted, and MUST be bound whole when they are gone.",
    clauses=["GANG-02", "GANG-04", "GANG-05"],
    level="extended",
)
def test_room_of_leaving_pods_is_no_room(world: World) -> None:
    world.nodes(2, gpus=4)
    pods = [world.pod(gpus=2, alter=world.faults.delay_deletion) for _ in range(2)]
    assert world.is_bound(*pods)
    world.faults.begin_deletions(*pods)
    gang = world.submit(Gang("next", size=4, gpus=2))
    assert gang.is_refused()
    assert gang.stays_pending()

    world.faults.finish_deletions()

    assert gang.is_bound_whole()
