"""The design gives the name of a group away before it exists, so that anybody can find the group of a replica."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "The group of a replica MUST be called by the name of the set and the index of the replica.",
    clauses=["LWS-09"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_group_is_named_after_set_and_replica(world: World) -> None:
    world.nodes(1, gpus=4)

    live = submit(world, replicas=2, size=2)
    assert live.has_groups()

    names = [live.group(index)["metadata"]["name"] for index in range(2)]
    assert world.claim("the groups are called serve-0 and serve-1", names == ["serve-0", "serve-1"], f"found: {names}")
