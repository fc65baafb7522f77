"""The node of the shared device has room for three of four members; the others are empty."""

from harness import Gang, World, case


@case(
    "A gang whose members share a device MUST NOT be bound in part if they do not all fit on the node of the device.",
    clauses=["GANG-02", "GANG-06", "GANG-11", "WL-47", "WL-81"],
    needs=["devices"],
    level="extended",
)
def test_gang_without_room_beside_its_shared_device_binds_nothing(world: World) -> None:
    world.nodes(2, gpus=8)
    (equipped,) = world.nodes(1, gpus=3, name="with-devices")
    world.devices.publish(1, equipped)

    gang = world.submit(Gang("sharing", size=4, gpus=1), alter=world.devices.shared_claim("device"))

    assert gang.is_refused()
    assert gang.stays_pending()
    devices = world.devices.allocated()
    assert world.finds("the claim of the gang has no device", devices, count=0)
