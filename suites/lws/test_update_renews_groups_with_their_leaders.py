"""A new template makes new leaders one by one; each brings a group of its own, and the old one's goes with it.

A group that is renewed while its leader still runs would be a third one in a replica of two leaders.
"""

from harness.cases.language import LWS, World, case, owner


@case(
    "A rolling update MUST renew the group of each replica together with its leader.",
    clauses=["LWS-33", "LWS-06"],
    needs=["lws-group-object"],
)
def test_update_renews_groups_with_their_leaders(world: World) -> None:
    world.nodes(2, gpus=2)
    lws = world.submit(LWS(replicas=2, size=2))
    assert lws.is_bound_whole()
    assert lws.has_groups()
    old = lws.group_uids()

    lws.update()

    assert lws.is_updated()
    assert lws.has_groups()
    assert lws.is_bound_whole()
    assert world.finds("no group of the old template is left", lws.group_uids(), excludes=old)
    for index in range(2):
        uid, leader = owner(lws.group(index)).get("uid"), lws.leader(index)["metadata"]["uid"]
        assert world.finds(f"the group of replica {index} is owned by the new leader", uid, equals=leader)
        groups, leaders = lws.recorded_renewals(index)
        assert world.finds(f"replica {index} had no more groups than leaders", groups, most=leaders)
