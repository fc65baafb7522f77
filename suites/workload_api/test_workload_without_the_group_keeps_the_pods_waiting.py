"""The pods name a group that their Workload does not have. Only a new Workload can help, for the list never
changes."""

from harness import Gang, World, case


@case(
    "Pods that name a group missing from their Workload MUST wait until a Workload with that group takes its place.",
    clauses=["WL-28", "WL-34"],
    needs=["gang"],
    kubernetes="<1.36",
)
def test_workload_without_the_group_keeps_the_pods_waiting(world: World) -> None:
    native, policy = world.native, world.native.gang_policy(4)
    world.nodes(2, gpus=4)
    wrong = native.workload("app", {"others": policy})
    world.objects.create(wrong)
    gang = Gang("app-one", size=4, gpus=2)
    live = world.submit(gang, objects=native.members(gang, policy, "app", "members"))
    assert live.stays_pending()

    world.objects.delete((native.version, "Workload"), "app")
    world.objects.create(native.workload("app", {"members": policy}))

    assert live.is_bound_whole()
