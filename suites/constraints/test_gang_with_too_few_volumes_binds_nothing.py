"""Volumes for two of three members; what a gang cannot use it must not take either."""

from harness import Gang, World, case


@case(
    "A gang with volumes for a part of its members MUST NOT be bound in part and MUST NOT keep the volumes.",
    clauses=["GANG-02", "GANG-06", "GANG-11", "WL-47", "WL-81"],
    needs=["volumes"],
    level="extended",
)
def test_gang_with_too_few_volumes_binds_nothing(world: World) -> None:
    nodes = world.nodes(3, gpus=8)
    world.storage.local_volumes(*nodes[:2])
    storing = Gang("storing", size=3, gpus=1)
    for name, _ in storing.members():
        world.storage.claim(name)

    gang = world.submit(storing, alter=world.storage.using_own)

    assert gang.is_refused()
    assert gang.stays_pending()
    claims = world.storage.bound()
    assert world.finds("no claim of the gang has a volume", claims, count=0)
