"""A new template makes new leaders one by one; each brings a group of its own, and the old one's goes with it."""

from harness.case import case
from harness.leaderworker import owner, submit
from harness.world import World


@case(
    "A rolling update MUST renew the group of each replica together with its leader.",
    clauses=["LWS-33", "LWS-06"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_update_renews_groups_with_their_leaders(world: World) -> None:
    world.nodes(2, gpus=2)
    live = submit(world, replicas=2, size=2)
    assert live.is_placed_whole()
    assert live.has_groups()
    old, revisions = live.group_uids(), live.revisions()

    live.update()

    assert live.is_updated(revisions)
    assert live.has_groups()
    assert live.is_placed_whole()
    left = old & live.group_uids()
    assert world.claim("no group of the old template is left", not left, f"{len(left)} are")
    for index in range(2):
        mine = owner(live.group(index)).get("uid") == live.leader(index)["metadata"]["uid"]
        assert world.claim(f"the group of replica {index} is owned by the new leader", mine)
