"""Large enough that binding takes a while: the window between first and last bind is where gangs are seen in part."""

from harness import Gang, World, case


@case(
    "A gang of forty members MUST be bound whole within its window.",
    clauses=["GANG-01", "GANG-03", "WL-37"],
    fresh=True,
)
def test_gang_of_forty_members_is_bound_whole(world: World) -> None:
    world.nodes(5, gpus=8)

    gang = world.submit(Gang("forty", size=40, gpus=1))

    assert gang.is_bound_whole()
