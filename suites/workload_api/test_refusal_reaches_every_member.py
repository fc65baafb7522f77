"""A user looks at the pod that does not start, whichever it is."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import LiveGang, World


def told(world: World, gang: LiveGang) -> set[str]:
    """The members that an event is about; by their names, since an event may be seen before its pod."""
    events = [one.state for one in world.recorder.live["Event"].values() if one.namespace == gang.namespace]
    about = {event["about"].rpartition("/")[2] for event in events if event.get("reason") == "FailedScheduling"}
    return about & {member.name for member in gang.members()}


@case(
    "When a gang is refused each of its members MUST be told so in its status and by an event.",
    clauses=["WL-48", "WL-52"],
    needs=["gang", "workload-object"],
    profile="WORKLOAD-API",
    kubernetes=">=1.36",
)
def test_refusal_reaches_every_member(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("refused", size=4, gpus=2))
    assert gang.is_refused()

    names = {one.name for one in gang.members()}
    world.until(lambda: set(gang.refused_members()) == names and told(world, gang) == names, "refused")

    refused = set(gang.refused_members())
    assert world.claim("every member says so in its status", refused == names, str(refused))
    assert world.claim("there is an event about every member", told(world, gang) == names, str(told(world, gang)))
