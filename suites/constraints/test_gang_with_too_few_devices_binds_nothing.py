"""Three devices for four members; what a gang cannot use it must not take either."""

from harness import Gang, World, case


@case(
    "A gang with devices for a part of its members MUST NOT be bound in part and MUST NOT keep the devices.",
    clauses=["GANG-02", "GANG-06", "GANG-11", "WL-47", "WL-81"],
    needs=["devices"],
    level="extended",
)
def test_gang_with_too_few_devices_binds_nothing(world: World) -> None:
    nodes = world.nodes(3, gpus=8)
    world.devices.publish(1, *nodes)

    gang = world.submit(Gang("devices", size=4, gpus=1), alter=world.devices.claim_for_each())

    assert gang.is_refused()
    assert gang.stays_pending()
    devices = world.devices.allocated()
    assert world.finds("no claim of the gang has a device", devices, count=0)
