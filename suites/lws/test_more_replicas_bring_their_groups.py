"""New replicas are gangs from their first pod on."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "When a set grows, a group MUST come with each new replica, and each MUST be bound whole.",
    clauses=["LWS-31"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_more_replicas_bring_their_groups(world: World) -> None:
    world.nodes(3, gpus=2)
    live = submit(world, replicas=1, size=2)
    assert live.is_placed_whole()
    first = live.group_uids()

    live.scale(3)

    assert live.has_groups()
    assert live.is_placed_whole()
    assert world.claim("the first replica kept its group", first <= live.group_uids())
