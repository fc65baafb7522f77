"""Daemons, static pods and pods of another scheduler: a node has less to give than its own pods tell."""

from harness import Gang, World, case


@case(
    "A gang MUST NOT be given room that a pod of another scheduler uses, and MUST be bound whole when that is gone.",
    clauses=["GANG-02", "GANG-04", "GANG-43"],
    level="extended",
)
def test_pods_of_other_schedulers_take_room(world: World) -> None:
    first, *_ = world.nodes(2, gpus=4)
    guest = world.cluster.occupy(first, gpus=1)
    gang = world.submit(Gang("hosts", size=4, gpus=2))
    assert gang.is_refused()
    assert gang.stays_pending()

    world.cluster.vacate(guest)

    assert gang.is_bound_whole()
