"""Admission is down. A pod that got through would be a pod of no gang; it is refused and made again later."""

from harness.cases.language import LWS, World, case


def refusals(world: World, name: str) -> list[str]:
    """The events that say that the StatefulSet of this name could not create a pod."""
    events = world.objects.all_of(("v1", "Event"))
    failed = [event for event in events if event["reason"] == "FailedCreate"]
    return [event["metadata"]["name"] for event in failed if event["involvedObject"]["name"] == name]


@case(
    "A pod that cannot be given its gang MUST be refused, and MUST come with its gang in the end.",
    clauses=["LWS-38", "LWS-17"],
    level="extended",
    disturbs="control-plane",
)
def test_pods_are_refused_while_no_place_can_be_given(world: World) -> None:
    world.nodes(1, gpus=3)
    lws = world.submit(LWS(size=3))
    assert lws.is_bound_whole()

    world.faults.kill("controller")
    lws.delete(leader=0)
    assert world.sees("the pods of StatefulSet serve are refused", lambda: refusals(world, "serve"), least=1)
    world.faults.restart("controller")

    assert lws.is_replaced(deadline="reconnected")
    assert lws.gangs[0].is_bound_whole("reconnected")
    bare = [pod["metadata"]["name"] for pod in lws.pods() if not lws.place(pod)]
    assert world.finds("every pod names its gang", bare, count=0)
    named = {lws.place(pod) for pod in lws.pods()}
    assert world.finds("all pods name the same gang", named, count=1)
