"""The leader owns the group, so it is there first; workers come last, when there is a gang for them to join."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_seen import STATEFUL_SETS, first_seen
from harness.world import World


@case(
    "StatefulSet of leaders, leader, group and workers MUST come into being in this order.",
    clauses=["LWS-07", "LWS-26"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_group_follows_its_leader_into_being(world: World) -> None:
    world.nodes(1, gpus=3)

    live = submit(world, size=3)
    assert live.is_placed_whole()
    assert live.has_groups()

    group = live.group()["metadata"]["name"]
    parts = ((STATEFUL_SETS, "serve"), ("Pod", "serve-0"), (live.group_kind, group), ("Pod", "serve-0-1"))
    came = [first_seen(world, kind, name) for kind, name in parts]
    detail = ", ".join(f"{kind} {name} at {at}" for (kind, name), at in zip(parts, came, strict=True))
    in_order = came == sorted(came)
    assert world.claim("StatefulSet, leader, group and worker came in this order", in_order, detail)
