"""Delete and apply again, the most common way to retry a job: same names, new objects, a new gang."""

from harness import Gang, World, case


@case(
    "A gang that is deleted and submitted again under its name MUST be bound whole again.",
    clauses=["GANG-01", "GANG-13", "KOORD-40"],
)
def test_gang_submitted_again_starts_again(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("retry", size=4, gpus=2))
    assert gang.is_bound_whole()
    gang.delete()
    assert gang.is_gone()

    again = world.submit(Gang("retry", size=4, gpus=2))

    assert again.is_bound_whole()
