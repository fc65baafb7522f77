"""The first place a user looks at when nothing runs."""

from harness import Gang, World, case


@case(
    "The object of a gang without room SHOULD say so in its status.",
    clauses=["GANG-28", "WL-48", "WL-52"],
    needs=["group-object", "group-status"],
)
def test_group_object_tells_that_the_gang_was_refused(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("unlucky", size=4, gpus=2))
    assert gang.is_refused()

    assert world.sees("the gang's object says that it has no room", gang.refused_groups, "refused", least=1)
