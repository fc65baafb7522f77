"""The gate of gang scheduling is off while the API is on: objects are accepted and mean nothing. For the history
this is a gang of quorum one, since nothing else is promised."""

from harness import Gang, World, case


@case(
    "With GangScheduling off the API MUST work and members MUST be placed one by one.",
    clauses=["WL-24"],
    level="extended",
    disturbs="control-plane",
    kubernetes="<1.37",
)
def test_gang_feature_off_places_pod_by_pod(world: World) -> None:
    native, policy = world.native, world.native.gang_policy(4)
    world.faults.set_gates(GangScheduling=False)
    world.nodes(1, gpus=4)
    world.objects.create(native.workload("declared", {"members": policy}))

    gang = Gang("declared-one", size=4, quorum=1, gpus=2)
    live = world.submit(gang, objects=native.members(gang, policy, "declared", "members"))

    assert live.reaches_quorum()
    two = world.until(lambda: live.bound == 2, "bound")
    assert world.claim("two of four members fit and are bound", two, f"{live.bound} are bound")
