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
    live = world.submit(LWS(replicas=2, size=2))
    assert live.is_bound_whole()
    assert live.has_groups()
    old = live.group_uids()

    live.update()

    assert live.is_updated()
    assert live.has_groups()
    assert live.is_bound_whole()
    left = old & live.group_uids()
    assert world.claim("no group of the old template is left", not left, f"{len(left)} are")
    for index in range(2):
        mine = owner(live.group(index)).get("uid") == live.leader(index)["metadata"]["uid"]
        assert world.claim(f"the group of replica {index} is owned by the new leader", mine)
        groups, leaders = live.recorded_renewals(index)
        detail = f"{groups} groups of {leaders} leaders"
        assert world.claim(f"replica {index} had no more groups than leaders", groups <= leaders, detail)
