"""A user who deletes a leader need not know of its group."""

from harness.cases.language import LWS, World, case


@case(
    "The group of a leader that is deleted MUST go, and the groups of other leaders MUST stay.",
    clauses=["LWS-28"],
    needs=["lws-group-object"],
)
def test_deleted_leader_takes_its_group_along(world: World) -> None:
    world.nodes(1, gpus=4)
    lws = world.submit(LWS(replicas=2, size=2))
    assert lws.is_bound_whole()
    assert lws.has_groups()
    gone, remaining = (lws.group(index)["metadata"]["uid"] for index in range(2))

    lws.delete(leader=0)

    assert world.sees("the group of the deleted leader went", lws.group_uids, "gone", excludes=[gone])
    assert lws.has_groups()
    assert world.finds("the group of the other leader is the same", lws.group(1)["metadata"]["uid"], equals=remaining)
