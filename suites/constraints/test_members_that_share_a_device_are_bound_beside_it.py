"""One claim for the whole gang: every member uses the same device, so all must be on its node."""

from harness import Gang, World, case


@case(
    "A gang whose members share one claim of a device MUST be bound whole to the node of the device.",
    clauses=["GANG-11", "WL-47", "WL-81"],
    needs=["devices"],
    level="extended",
)
def test_members_that_share_a_device_are_bound_beside_it(world: World) -> None:
    world.nodes(2, gpus=8)
    (equipped,) = world.nodes(1, gpus=4, name="with-devices")
    world.devices.publish(1, equipped)

    gang = world.submit(Gang("sharing", size=4, gpus=1), alter=world.devices.shared_claim("device"))

    assert gang.is_bound_whole()
    assert world.are_on("all members are beside the device", gang, equals=[equipped])
