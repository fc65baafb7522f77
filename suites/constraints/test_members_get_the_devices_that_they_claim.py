"""Every member has a claim of its own for one device, and two nodes have two each."""

from harness import Gang, World, case


@case(
    "A gang whose members claim devices MUST be bound whole, each with a device of its own on its node.",
    clauses=["GANG-11", "WL-47", "WL-81"],
    needs=["devices"],
    level="extended",
)
def test_members_get_the_devices_that_they_claim(world: World) -> None:
    world.nodes(2, gpus=8)
    equipped = world.nodes(2, gpus=8, name="with-devices")
    world.devices.publish(2, *equipped)

    gang = world.submit(Gang("devices", size=4, gpus=1), alter=world.devices.claim_for_each())

    assert gang.is_bound_whole()
    devices = world.devices.allocated()
    assert world.finds("four devices are given, each once", devices, equals=set(devices), count=4)
