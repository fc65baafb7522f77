"""Some schedulers know gangs without an object for them: what the pods say is all there is."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_seen import group_kinds
from harness.world import World


@case(
    "Without group objects the pods MUST say enough for all or nothing, and no group MUST be made.",
    clauses=["LWS-16", "LWS-02"],
    needs=["leader-worker-set", "lws-pods-only"],
    profile="LWS",
)
def test_pods_alone_describe_the_gang(world: World) -> None:
    world.nodes(1, gpus=4)
    live = submit(world, size=4)
    assert live.is_placed_whole()
    waiting = submit(world, "waiting", size=4)

    assert waiting.is_complete()
    assert waiting.gangs[0].is_refused()
    named = {live.place(pod) for pod in live.pods()}
    assert world.claim("all pods of the replica name one application", len(named) == 1 and all(named), f"{named}")
    kinds = group_kinds(world)
    made = [obj["metadata"]["name"] for kind in kinds for obj in world.all_of(kind)]
    assert world.claim("there is no group object", not made, f"found: {made} among {kinds}")
