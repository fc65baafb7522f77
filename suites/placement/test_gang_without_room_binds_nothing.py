"""One member short of room: the case that tells a gang scheduler from any other."""

from harness import Gang, World, case


@case(
    "A gang with room for all its members but one MUST NOT have a single member bound.",
    clauses=["GANG-02", "WL-35", "WL-37", "KOORD-17"],
)
def test_gang_without_room_binds_nothing(world: World) -> None:
    world.nodes(2, gpus=4)
    assert world.is_bound(world.pod(gpus=2))

    gang = world.submit(Gang("short", size=4, gpus=2))

    assert gang.is_refused()
    assert gang.stays_pending()
