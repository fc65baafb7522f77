"""Head-of-line blocking: the big gang waits for room that never comes, the small one would fit now."""

from harness import Gang, World, case


@case(
    "A gang that fits SHOULD be bound although an earlier and larger gang waits.",
    clauses=["GANG-06", "GANG-19", "WL-43", "WL-54", "WL-63", "KOORD-08", "KOORD-32"],
)
def test_small_gang_passes_a_gang_that_cannot_fit(world: World) -> None:
    world.nodes(2, gpus=4)
    big = world.submit(Gang("big", size=5, gpus=2))
    assert big.is_refused()

    small = world.submit(Gang("small", size=4, gpus=2))

    assert small.is_bound_whole()
    assert big.stays_pending()
