"""A replica that is larger than the cluster waits for ever. That is its own affair."""

from harness.cases.language import LWS, World, case


@case(
    "A replica that waits MUST NOT hold back a replica that fits.",
    clauses=["LWS-05"],
)
def test_waiting_replica_does_not_hold_back_one_that_fits(world: World) -> None:
    world.nodes(1, gpus=4)
    large = world.submit(LWS("large", size=6))
    assert large.is_complete()
    assert large.gangs[0].is_refused()

    small = world.submit(LWS("small", replicas=2, size=2))

    assert small.is_bound_whole()
    assert large.gangs[0].stays_pending()
