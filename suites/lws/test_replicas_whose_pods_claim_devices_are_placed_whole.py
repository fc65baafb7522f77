"""Leader and workers claim a device each. Two nodes have three devices in all, which is a replica and a half."""

from harness.cases.language import LWS, Object, World, case


@case(
    "A replica whose pods claim devices MUST be bound whole if there is one for each, and not at all otherwise.",
    clauses=["LWS-39", "LWS-02", "LWS-03"],
    needs=["devices"],
    level="extended",
)
def test_replicas_whose_pods_claim_devices_are_placed_whole(world: World) -> None:
    claim = world.devices.claim_for_each()

    def with_devices(obj: Object) -> None:
        claim(obj["spec"]["leaderWorkerTemplate"]["workerTemplate"])

    first, second = world.nodes(2, gpus=8)
    world.devices.publish(2, first)
    world.devices.publish(1, second)
    lws = world.submit(LWS(replicas=2, size=2), alter=with_devices)

    waiting = lws.all_but_one_run()
    assert waiting is not None
    assert waiting.is_refused()
    devices = world.devices.allocated()
    assert world.finds("two devices are given, each once", devices, equals=set(devices), count=2)
    third = world.nodes(1, gpus=8, name="third")
    world.devices.publish(1, *third)
    assert waiting.is_bound_whole()
