"""The new leader has the old one's name. The group of the old one may still be there, on its way out."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "A leader made anew MUST get a new group that it owns, and its replica MUST be bound whole again.",
    clauses=["LWS-29", "LWS-28"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_leader_made_anew_gets_a_group_of_its_own(world: World) -> None:
    world.nodes(1, gpus=3)
    live = submit(world, size=3)
    assert live.is_placed_whole()
    group = live.group()["metadata"]["uid"]

    old = live.lose_leader()

    assert live.is_made_anew(old)
    assert live.leads_its_group()
    assert live.is_placed_whole()
    assert world.claim("the group is a new one", live.group()["metadata"]["uid"] != group)
