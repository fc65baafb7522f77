"""A pod of no gang has one of the two devices; when it goes, its device is free again and the gang starts."""

from harness import Gang, World, case


@case(
    "A gang MUST wait while another pod has a device that it needs, and MUST be bound whole when the device is free.",
    clauses=["GANG-02", "GANG-05", "GANG-11", "WL-47", "WL-81"],
    needs=["devices"],
    level="extended",
)
def test_devices_that_others_have_hold_the_gang(world: World) -> None:
    nodes = world.nodes(2, gpus=8)
    world.devices.publish(1, *nodes)
    claiming = world.devices.claim_for_each()
    holder = world.pod(gpus=0, alter=claiming)
    assert world.is_bound(holder)

    gang = world.submit(Gang("devices", size=2, gpus=1), alter=claiming)
    assert gang.is_refused()
    assert gang.stays_pending()

    world.delete(holder)

    assert gang.is_bound_whole()
