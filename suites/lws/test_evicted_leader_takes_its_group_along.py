"""Somebody who drains a node evicts a leader, and knows nothing of its group."""

from harness.cases.language import LWS, World, case


@case(
    "The group of a leader that is evicted MUST go, and the next leader MUST get one and be bound with its replica.",
    clauses=["LWS-28", "LWS-29"],
    needs=["lws-group-object"],
)
def test_evicted_leader_takes_its_group_along(world: World) -> None:
    world.nodes(1, gpus=4)
    lws = world.submit(LWS(replicas=2, size=2))
    assert lws.is_bound_whole()
    assert lws.has_groups()
    gone, remaining = (lws.group(index)["metadata"]["uid"] for index in range(2))

    lws.evict(0)

    assert lws.is_replaced()
    assert world.sees("the group of the evicted leader went", lws.group_uids, "gone", excludes=[gone])
    assert lws.has_groups()
    assert lws.leader_owns_group()
    assert lws.is_bound_whole()
    assert world.finds("the group of the other leader is the same", lws.group(1)["metadata"]["uid"], equals=remaining)
