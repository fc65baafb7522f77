"""Admission is down. A pod that got through would be a pod of no gang; it is refused and made again later."""

from harness.case import case
from harness.leaderworker import submit
from harness.leaderworker_faults import pods_are_refused
from harness.world import World


@case(
    "A pod that cannot be given its gang MUST be refused, and MUST come with its gang in the end.",
    clauses=["LWS-38", "LWS-17"],
    needs=["leader-worker-set"],
    profile="LWS",
    level="extended",
    disruptive=True,
)
def test_pods_are_refused_while_no_place_can_be_given(world: World) -> None:
    world.nodes(1, gpus=3)
    live = submit(world, size=3)
    assert live.is_placed_whole()

    world.kill("controller")
    old = live.lose_leader()
    assert pods_are_refused(world, "serve")
    world.restart("controller")

    assert live.is_made_anew(old, deadline="reconnected")
    assert live.gangs[0].is_bound_whole("reconnected")
    bare = [pod["metadata"]["name"] for pod in live.pods() if not live.place(pod)]
    assert world.claim("every pod names its gang", not bare, ", ".join(bare))
    named = {live.place(pod) for pod in live.pods()}
    assert world.claim("all pods name the same gang", len(named) == 1, f"{named}")
