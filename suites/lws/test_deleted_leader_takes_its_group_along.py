"""Whoever deletes a leader need not know of its group."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "The group of a leader that is deleted MUST go, and the groups of other leaders MUST stay.",
    clauses=["LWS-28"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_deleted_leader_takes_its_group_along(world: World) -> None:
    world.nodes(1, gpus=4)
    live = submit(world, replicas=2, size=2)
    assert live.is_placed_whole()
    assert live.has_groups()
    gone, kept = (live.group(index)["metadata"]["uid"] for index in range(2))

    live.lose_leader()

    assert world.sees("the group of the deleted leader went", lambda: gone not in live.group_uids(), "gone")
    assert live.has_groups()
    assert world.claim("the group of the other leader is the same", live.group(1)["metadata"]["uid"] == kept)
