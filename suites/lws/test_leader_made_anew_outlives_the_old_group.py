"""The group of the old leader is slow to go. The new leader must not take it for its own, which will soon be gone."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_faults import hold_group
from harness.world import World


@case(
    "A leader made anew while the old one's group is still going MUST have a group of its own in the end.",
    clauses=["LWS-29"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
    level="extended",
)
def test_leader_made_anew_outlives_the_old_group(world: World) -> None:
    world.nodes(1, gpus=2)
    live = submit(world, size=2)
    assert live.is_placed_whole()
    assert live.has_groups()
    hold_group(live, hold=True)

    old = live.lose_leader()
    assert live.is_made_anew(old)
    assert world.comes_to_rest()
    hold_group(live, hold=False)

    assert live.leads_its_group()
    assert live.is_placed_whole()
