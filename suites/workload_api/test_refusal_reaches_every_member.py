"""A user looks at the pod that does not start, whichever it is."""

from harness import Gang, World, case


def pods_with_event(world: World) -> set[str]:
    """The pods of which an event says that they were not placed."""
    events = world.objects.all_of(("v1", "Event"))
    return {event["involvedObject"]["name"] for event in events if event.get("reason") == "FailedScheduling"}


@case(
    "When a gang is refused each of its members MUST be told so in its status and by an event.",
    clauses=["WL-48", "WL-52"],
    needs=["gang"],
    kubernetes=">=1.36",
)
def test_refusal_reaches_every_member(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("refused", size=4, gpus=2))
    assert gang.is_refused()

    names = {pod.name for pod in gang.pods()}
    assert world.sees("every member says so in its status", gang.refused_members, "refused", includes=names)
    assert world.sees("there is an event about every member", lambda: pods_with_event(world), "refused", includes=names)
