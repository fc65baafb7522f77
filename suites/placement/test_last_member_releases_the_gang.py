"""Members come one by one, as controllers make them; each of them must wait for the last."""

from harness import Gang, World, case


@case(
    "Members that arrive one by one MUST be bound when the quorum is there, and none of them before.",
    clauses=["GANG-09", "WL-29", "WL-30", "KOORD-18", "KOORD-19"],
)
def test_last_member_releases_the_gang(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("drip", size=4, gpus=2, missing=4))

    for _ in range(3):
        gang.create_missing(1)
        assert gang.stays_pending()
    gang.create_missing(1)

    assert gang.is_bound_whole()
