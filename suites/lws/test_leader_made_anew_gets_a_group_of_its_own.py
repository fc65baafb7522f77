"""The new leader has the old one's name. The group of the old one may still be there, on its way out."""

from harness.cases.language import LWS, World, case


@case(
    "A leader created again MUST get a new group that it owns, and its replica MUST be bound whole again.",
    clauses=["LWS-29", "LWS-28"],
    needs=["lws-group-object"],
)
def test_leader_made_anew_gets_a_group_of_its_own(world: World) -> None:
    world.nodes(1, gpus=3)
    lws = world.submit(LWS(size=3))
    assert lws.is_bound_whole()
    group = lws.group()["metadata"]["uid"]

    lws.delete(leader=0)

    assert lws.is_replaced()
    assert lws.leader_owns_group()
    assert lws.is_bound_whole()
    assert world.finds("the group is a new one", lws.group()["metadata"]["uid"], differs=group)
