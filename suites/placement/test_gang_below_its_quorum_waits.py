"""Members that nobody created cannot be placed, so the others must not be either, however much room there is."""

from harness import Gang, World, case


@case(
    "A gang of which fewer members exist than its quorum MUST NOT have any of them bound.",
    clauses=["GANG-09", "WL-29", "KOORD-18"],
)
def test_gang_below_its_quorum_waits(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("late", size=4, gpus=1, missing=1))

    assert gang.is_refused()
    assert gang.stays_pending()
