"""The replica beyond the number has no room. It waits whole, and nobody else is touched for it."""

from harness.cases.language import LWS, World, case


@case(
    "A replica made for an update that has no room MUST wait whole, and the update MUST go on when there is.",
    clauses=["LWS-34", "LWS-03"],
)
def test_update_without_room_for_another_replica_waits(world: World) -> None:
    world.nodes(2, gpus=2)
    lws = world.submit(LWS(replicas=2, size=2, surge=1))
    assert lws.is_bound_whole()

    lws.update()

    surge = lws.expect_surge()
    assert world.sees("a third replica is made", lambda: lws.pods(2), count=2)
    assert surge.is_refused()
    assert surge.stays_pending()
    world.nodes(1, gpus=2)
    assert lws.is_updated()
    assert lws.is_bound_whole()
