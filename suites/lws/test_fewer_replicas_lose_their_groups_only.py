"""Replicas go from the end. What remains is not touched."""

from harness.case import case
from harness.leaderworker import submit
from harness.world import World


@case(
    "When a set shrinks, the groups of the replicas that go MUST go, and the others MUST stay.",
    clauses=["LWS-30"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_fewer_replicas_lose_their_groups_only(world: World) -> None:
    world.nodes(3, gpus=2)
    live = submit(world, replicas=3, size=2)
    assert live.is_placed_whole()
    assert live.has_groups()
    kept = live.group(0)["metadata"]["uid"]
    live.gangs[0].stays_untouched()

    leaving = live.scale(1)

    assert all(gang.is_gone() for gang in leaving)
    assert live.has_groups()
    assert world.claim("the first replica kept its group", live.group_uids() == {kept}, f"{live.group_uids()}")
    assert live.is_placed_whole()
