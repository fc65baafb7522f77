"""With this policy every batch of new members is a gang of its own: what runs already does not count for it."""

from harness import Gang, World, case


@case(
    "A gang that counts waiting members only MUST take in new ones when those are its minimum, and not before.",
    clauses=["KOORD-51"],
    needs=["match-policy", "quorum"],
    level="extended",
)
def test_gang_that_counts_waiting_members_only_starts_in_batches(world: World) -> None:
    world.nodes(2, gpus=3)
    gang = world.submit(Gang("batches", size=4, quorum=2, missing=2, style="only-waiting"))
    assert gang.is_bound_whole()

    gang.create_missing(1)
    assert gang.keeps_waiting("batches-2")
    gang.create_missing(1)

    assert gang.takes_in("batches-2")
    assert gang.takes_in("batches-3")
