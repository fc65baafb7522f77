"""The object is the user's. A scheduler that removes it takes away the declaration of the next try."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A group object that a user made MUST still be there after its members are gone.",
    clauses=["KOORD-16", "GANG-35"],
    needs=["gang", "group-object"],
    profile="GANG-LIFECYCLE",
)
def test_group_object_stays_when_its_pods_are_gone(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("brief", size=2, gpus=2))
    assert gang.is_bound_whole()
    assert gang.lose("brief-0", "brief-1")

    assert world.passes()
    assert world.passes()  # what it does in the same round comes after the bind that shows that it was here

    groups = [one.name for one in gang.groups() if not one.state.get("deleting")]
    assert world.claim("the group object is still there", "brief" in groups, str(groups))
