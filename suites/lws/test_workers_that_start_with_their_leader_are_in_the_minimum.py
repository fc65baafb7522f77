"""Leader and workers start together, so all of them count."""

from harness.case import case
from harness.leaderworker import LEADER_CREATED, submit
from harness.world import World


@case(
    "With the startup policy LeaderCreated the minimum of a group MUST be the size of the replica.",
    clauses=["LWS-18"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_workers_that_start_with_their_leader_are_in_the_minimum(world: World) -> None:
    world.nodes(1, gpus=4)

    live = submit(world, size=4, startup=LEADER_CREATED)

    assert live.has_groups()
    minimum = live.group()["spec"]["minMember"]
    assert world.claim("the minimum is leader and three workers", minimum == 4, f"it is {minimum}")
    assert live.is_placed_whole()
