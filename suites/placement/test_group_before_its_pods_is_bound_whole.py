"""The usual order of a controller that makes the group and then, at leisure, the pods."""

from harness import Gang, World, case


@case(
    "A group object that is there before its pods MUST NOT keep them from being bound whole.",
    clauses=["GANG-15", "WL-32"],
    needs=["group-object"],
)
def test_group_before_its_pods_is_bound_whole(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("planned", size=4, gpus=2, missing=4))
    assert world.scheduler_is_working()
    gang.create_missing()

    assert gang.is_bound_whole()
