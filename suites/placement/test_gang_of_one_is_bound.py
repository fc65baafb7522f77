"""The smallest gang: every scheduler that counts members one too high or one too low shows it here."""

from harness import Gang, World, case


@case(
    "A gang of one MUST be bound like any pod.",
    clauses=["GANG-01"],
)
def test_gang_of_one_is_bound(world: World) -> None:
    world.nodes(1, gpus=1)

    gang = world.submit(Gang("lone", size=1))

    assert gang.is_bound_whole()
