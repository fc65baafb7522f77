"""Local volumes are on some nodes; which claim gets which of them is decided together with the node of its pod."""

from harness import Gang, World, case


@case(
    "A gang whose members claim volumes that wait for their first consumer MUST be bound whole, each beside a volume.",
    clauses=["GANG-11", "WL-47", "WL-81"],
    needs=["volumes"],
    level="extended",
)
def test_members_are_bound_where_their_volumes_are(world: World) -> None:
    world.nodes(3, gpus=8)
    disks = world.nodes(3, gpus=8, name="disks")
    world.storage.local_volumes(*disks)
    storing = Gang("storing", size=3, gpus=1)
    for name, _ in storing.members():
        world.storage.claim(name)

    gang = world.submit(storing, alter=world.storage.using_own)

    assert gang.is_bound_whole()
    assert world.are_on("each member is beside a volume of its own", gang, equals=set(disks))
