"""One of the two would fit at once. It must not run alone."""

from harness import Gang, World, case


@case(
    "When one gang of a group does not fit, no gang of the group MUST have a member bound.",
    clauses=["GANG-33", "KOORD-30"],
    needs=["gang-group"],
)
def test_gang_that_does_not_fit_holds_its_group(world: World) -> None:
    world.nodes(2, gpus=4)

    small = world.submit(Gang("small", size=2, gpus=2, group=("large",)))
    large = world.submit(Gang("large", size=4, gpus=2, group=("small",)))
    assert large.is_refused()
    assert small.stays_pending()
    world.nodes(1, gpus=4)

    assert small.is_bound_whole()
    assert large.is_bound_whole()
