"""The new leader is not ready before it is placed, not placed without a group, and has no workers until it is ready."""

from harness.cases.language import LEADER_READY, LWS, World, case


@case(
    "With the startup policy LeaderReady a leader created again MUST get a new group and be bound.",
    clauses=["LWS-29", "LWS-20"],
    needs=["lws-group-object"],
)
def test_leader_that_goes_first_made_anew_gets_a_group(world: World) -> None:
    world.nodes(1, gpus=2)
    lws = world.submit(LWS(size=2, startup=LEADER_READY))
    assert lws.is_bound_whole()

    lws.delete(leader=0)

    assert lws.is_replaced()
    assert lws.leader_owns_group()
    assert lws.is_bound_whole()
