"""etcd gives no answer for a while: requests time out in the middle, and some of them were done nevertheless."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A gang that waits while the store of the API server hangs MUST be bound whole when room appears.",
    clauses=["GANG-05", "GANG-17"],
    profile="GANG-RECOVERY",
    level="extended",
    disruptive=True,
)
def test_store_that_hangs_while_a_gang_waits(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    world.pause("etcd")
    stalled = world.hangs()
    world.resume("etcd")
    assert world.claim("the store was missed", stalled or None)
    world.nodes(1, gpus=4)

    assert gang.is_bound_whole()
