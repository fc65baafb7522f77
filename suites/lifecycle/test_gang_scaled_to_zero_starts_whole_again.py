"""An elastic job goes to sleep with all its members while its group stays. Others use the room; then it wakes up."""

from harness import Gang, World, case


@case(
    "A gang that lost all its members MUST start whole or not at all when they come back.",
    clauses=["GANG-39", "GANG-02"],
    needs=["starts-anew"],
)
def test_gang_scaled_to_zero_starts_whole_again(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("elastic", size=4, gpus=2))
    assert gang.is_bound_whole()
    members = [f"elastic-{n}" for n in range(4)]

    gang.delete(*members)
    assert gang.is_gone(*members)
    other = world.submit(Gang("other", size=2, gpus=2))
    assert other.is_bound_whole()
    gang.create_again(*members)
    assert gang.is_refused()
    other.delete()

    assert gang.is_bound_whole()
