"""The reference is for people. A scheduler that looks at it finds a Job that does not exist."""

from harness import Gang, World, case


@case(
    "A gang whose Workload has a controllerRef MUST be bound whole, whatever that points to.",
    clauses=["WL-12"],
    needs=["gang"],
)
def test_controller_reference_makes_no_difference(world: World) -> None:
    native, policy = world.native, world.native.gang_policy(4)
    world.nodes(2, gpus=4)
    nothing = {"apiGroup": "batch", "kind": "Job", "name": "does-not-exist"}
    world.objects.create(native.workload("app", {"members": policy}, controllerRef=nothing))

    gang = Gang("app-one", size=4, gpus=2)
    live = world.submit(gang, objects=native.members(gang, policy, "app", "members"))

    assert live.is_bound_whole()
