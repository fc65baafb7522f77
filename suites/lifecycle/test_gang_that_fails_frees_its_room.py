"""Members fail and nobody deletes them: failed pods must not hold a GPU any more than those that succeeded."""

from harness import Gang, World, case


@case(
    "When the members of a gang have failed, the gang that waits for their room MUST be bound whole.",
    clauses=["GANG-26", "WL-65"],
    level="extended",
)
def test_gang_that_fails_frees_its_room(world: World) -> None:
    world.nodes(2, gpus=4)
    failing = world.submit(Gang("failing", size=4, gpus=2))
    assert failing.is_bound_whole()
    following = world.submit(Gang("following", size=4, gpus=2))
    assert following.is_refused()

    assert failing.ends("Failed", "failing-0", "failing-1", "failing-2", "failing-3")

    assert following.is_bound_whole()
