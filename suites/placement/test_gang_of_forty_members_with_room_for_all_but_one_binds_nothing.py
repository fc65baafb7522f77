"""A large gang is refused as a small one is: no number of members is enough but all that it needs."""

from harness import Gang, World, case


@case(
    "A gang of forty members with room for thirty-nine MUST NOT have a single member bound.",
    clauses=["GANG-02", "WL-35"],
    level="extended",
)
def test_gang_of_forty_members_with_room_for_all_but_one_binds_nothing(world: World) -> None:
    world.nodes(4, gpus=8)
    world.nodes(1, gpus=7, name="smaller")

    gang = world.submit(Gang("forty", size=40, gpus=1))

    assert gang.is_refused()
    assert gang.stays_pending()
