"""The gang was too large, so its user makes the Workload anew with a smaller minimum and leaves the pods as they
are."""

from harness import Gang, World, case


@case(
    "A Workload that is created again with another minimum MUST govern the pods that wait.",
    clauses=["WL-34", "GANG-27"],
    needs=["gang", "quorum"],
    kubernetes="<1.36",
)
def test_recreated_workload_governs_waiting_pods(world: World) -> None:
    native = world.native
    world.nodes(2, gpus=4)
    workload = native.workload("app", {"members": native.gang_policy(6)})
    world.objects.create(workload)
    gang = Gang("app-one", size=4, quorum=4, gpus=2)
    live = world.submit(gang, objects=native.members(gang, native.gang_policy(6), "app", "members"))
    assert live.stays_pending()

    world.objects.delete((native.version, "Workload"), "app")
    world.objects.create(native.workload("app", {"members": native.gang_policy(4)}))

    assert live.is_bound_whole()
