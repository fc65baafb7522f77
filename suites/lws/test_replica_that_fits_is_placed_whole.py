"""The plain case: room for a replica, and all of it is placed in one go."""

from harness.cases.language import LWS, World, case


@case(
    "Leader and workers of a replica that fits MUST be bound together.",
    clauses=["LWS-02"],
)
def test_replica_that_fits_is_placed_whole(world: World) -> None:
    world.nodes(2, gpus=4)

    lws = world.submit(LWS(size=4, gpus=2))

    assert lws.is_bound_whole()
