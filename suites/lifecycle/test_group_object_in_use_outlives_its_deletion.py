"""Somebody deletes the group while its members run. They keep running, and the object may go only when they are
gone."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A group object that is deleted under its running members MUST NOT take them along.",
    clauses=["GANG-35"],
    needs=["gang", "group-object"],
    profile="GANG-LIFECYCLE",
)
def test_group_object_in_use_outlives_its_deletion(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("running", size=4, gpus=2))
    assert gang.is_bound_whole()

    gang.delete_group()
    assert world.passes()
    assert world.passes()  # what it does in the same round comes after the bind that shows that it was here

    assert world.claim("all members still have their nodes", gang.bound == 4, f"{gang.bound} of 4 are bound")
