"""The new leader is not ready before it is placed, not placed without a group, and has no workers until it is ready."""

from harness.cases.language import LEADER_READY, LWS, World, case


@case(
    "With the startup policy LeaderReady a leader created again MUST get a new group and be bound.",
    clauses=["LWS-29", "LWS-20"],
    needs=["lws-group-object"],
)
def test_leader_that_goes_first_made_anew_gets_a_group(world: World) -> None:
    world.nodes(1, gpus=2)
    live = world.submit(LWS(size=2, startup=LEADER_READY))
    assert live.is_bound_whole()

    live.delete(leader=0)

    assert live.is_replaced()
    assert live.leader_owns_group()
    assert live.is_bound_whole()
