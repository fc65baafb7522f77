"""A replica of one: nothing but the leader itself tells the controller that a new group is due."""

from harness.cases.language import LWS, World, case


@case(
    "A leader of a replica of size one that is created again MUST get a new group and be bound.",
    clauses=["LWS-29", "LWS-40"],
    needs=["lws-group-object"],
)
def test_leader_without_workers_made_anew_gets_a_group(world: World) -> None:
    world.nodes(1, gpus=1)
    lws = world.submit(LWS(size=1))
    assert lws.is_bound_whole()

    lws.delete(leader=0)

    assert lws.is_replaced()
    assert lws.leader_owns_group()
    assert lws.is_bound_whole()
