"""etcd gives no answer for a while: requests time out in the middle, and some of them were done nevertheless."""

from harness import Gang, World, case


@case(
    "A gang that waits while the store of the API server hangs MUST be bound whole when room appears.",
    clauses=["GANG-05", "GANG-17"],
    level="extended",
    disturbs="control-plane",
)
def test_store_that_hangs_while_a_gang_waits(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    world.faults.pause("etcd")
    stalled = world.faults.store_is_stalled()
    world.faults.resume("etcd")
    assert world.claim("the store was missed", stalled or None)
    world.nodes(1, gpus=4)

    assert gang.is_bound_whole()
