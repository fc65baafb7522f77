"""The node of the leader is gone for good, and the garbage collector deletes what was on it. Other workers still have
their node, but a replica without its leader is none: all of it starts over, whole, with a group of its own."""

from harness.cases.language import LWS, World, case


@case(
    "A replica whose leader was lost with its node MUST get a new group and be bound whole elsewhere.",
    clauses=["LWS-28", "LWS-29", "LWS-02"],
    needs=["lws-group-object"],
    disturbs="nodes",
)
def test_leader_lost_with_its_node_comes_back_with_a_group(world: World) -> None:
    world.nodes(2, gpus=2)
    lws = world.submit(LWS(size=3))
    assert lws.is_bound_whole()
    assert lws.has_groups()
    old = lws.group_uids()
    world.nodes(1, gpus=2, name="spare")

    world.cluster.remove(lws.leader()["spec"]["nodeName"])
    lws.delete(leader=0)

    assert lws.is_replaced()
    assert lws.leader_owns_group()
    assert world.finds("the group is a new one", lws.group_uids(), excludes=old)
    assert lws.is_bound_whole()
