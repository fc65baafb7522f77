"""Whoever drains a node evicts a leader, and knows nothing of its group."""

from harness.cases.language import LWS, World, case


@case(
    "The group of a leader that is evicted MUST go, and the next leader MUST get one and be bound with its replica.",
    clauses=["LWS-28", "LWS-29"],
    needs=["lws-group-object"],
)
def test_evicted_leader_takes_its_group_along(world: World) -> None:
    world.nodes(1, gpus=4)
    live = world.submit(LWS(replicas=2, size=2))
    assert live.is_bound_whole()
    assert live.has_groups()
    gone, remaining = (live.group(index)["metadata"]["uid"] for index in range(2))

    live.evict(0)

    assert live.is_replaced()
    assert world.sees("the group of the evicted leader went", lambda: gone not in live.group_uids(), "gone")
    assert live.has_groups()
    assert live.leader_owns_group()
    assert live.is_bound_whole()
    assert world.claim("the group of the other leader is the same", live.group(1)["metadata"]["uid"] == remaining)
