"""A user looks at the pod that does not start, whichever it is."""

from harness import Gang, World, case


@case(
    "When a gang is refused each of its members MUST be told so in its status.",
    clauses=["GANG-45"],
    needs=["tells-members"],
    level="extended",
)
def test_refusal_is_told_to_every_member(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("refused", size=4, gpus=2))
    assert gang.is_refused()

    names = {pod.name for pod in gang.pods()}
    assert world.sees("every member says so in its status", gang.refused_members, "refused", includes=names)
