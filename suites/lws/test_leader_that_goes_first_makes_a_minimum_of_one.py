"""Workers that are made when their leader is ready cannot be waited for: nobody would start."""

from harness.case import case
from harness.leaderworker import LEADER_READY, submit
from harness.world import World


@case(
    "With the startup policy LeaderReady the minimum of a group MUST be one.",
    clauses=["LWS-20"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_leader_that_goes_first_makes_a_minimum_of_one(world: World) -> None:
    world.nodes(1, gpus=4)

    live = submit(world, size=4, startup=LEADER_READY)

    assert live.has_groups()
    minimum = live.group()["spec"]["minMember"]
    assert world.claim("the minimum is the leader alone", minimum == 1, f"it is {minimum}")
    assert live.is_placed_whole()
