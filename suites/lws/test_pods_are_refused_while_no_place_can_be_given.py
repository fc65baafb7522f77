"""Admission is down. A pod that got through would be a pod of no gang; it is refused and made again later."""

from harness.cases.language import LWS, World, case


def refused(world: World, name: str) -> bool:
    """Whether an event says that the StatefulSet of this name could not create a pod."""
    events = world.objects.all_of(("v1", "Event"))
    return any(event["reason"] == "FailedCreate" and event["involvedObject"]["name"] == name for event in events)


@case(
    "A pod that cannot be given its gang MUST be refused, and MUST come with its gang in the end.",
    clauses=["LWS-38", "LWS-17"],
    level="extended",
    disturbs="control-plane",
)
def test_pods_are_refused_while_no_place_can_be_given(world: World) -> None:
    world.nodes(1, gpus=3)
    live = world.submit(LWS(size=3))
    assert live.is_bound_whole()

    world.faults.kill("controller")
    live.delete(leader=0)
    assert world.sees("the pods of StatefulSet serve are refused", lambda: refused(world, "serve"))
    world.faults.restart("controller")

    assert live.is_replaced(deadline="reconnected")
    assert live.gangs[0].is_bound_whole("reconnected")
    bare = [pod["metadata"]["name"] for pod in live.pods() if not live.place(pod)]
    assert world.claim("every pod names its gang", not bare, ", ".join(bare))
    named = {live.place(pod) for pod in live.pods()}
    assert world.claim("all pods name the same gang", len(named) == 1, f"{named}")
