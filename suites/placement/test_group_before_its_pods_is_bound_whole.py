"""The usual order of a controller that makes the group and then, at leisure, the pods."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A group object that is there before its pods MUST NOT keep them from being bound whole.",
    clauses=["GANG-15", "WL-32"],
    needs=["gang", "group-object"],
)
def test_group_before_its_pods_is_bound_whole(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("planned", size=4, gpus=2, missing=4))
    assert world.passes()
    gang.create_missing()

    assert gang.is_bound_whole()
