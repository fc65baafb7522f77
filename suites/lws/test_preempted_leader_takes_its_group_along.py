"""A pod of higher priority takes the place of a leader. Its workers go too, and the replica starts over elsewhere."""

from harness.cases.language import LWS, Object, World, case


@case(
    "A replica whose leader was preempted MUST get a new group and be bound whole elsewhere.",
    clauses=["LWS-28", "LWS-29", "LWS-02"],
    needs=["lws-group-object", "preemption"],
)
def test_preempted_leader_takes_its_group_along(world: World) -> None:
    high = world.priority("high", 1000)
    world.nodes(2, gpus=2)
    lws = world.submit(LWS(size=3, leader=2))
    assert lws.is_bound_whole()
    assert lws.has_groups()
    old, node = lws.group_uids(), lws.leader()["spec"]["nodeName"]
    world.nodes(1, gpus=2, name="spare")

    def at_the_leaders_place(pod: Object) -> None:
        pod["spec"]["nodeSelector"] = {"kubernetes.io/hostname": node}

    lws.start_over(0)
    single = world.pod(gpus=2, priority=high, alter=at_the_leaders_place)

    assert world.is_bound(single)
    assert lws.is_replaced()
    assert lws.leader_owns_group()
    assert world.finds("the group is a new one", lws.group_uids(), excludes=old)
    assert lws.is_bound_whole()
