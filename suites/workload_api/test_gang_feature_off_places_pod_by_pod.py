"""The gate of gang scheduling is off while the API is on: objects are accepted and mean nothing. For the history
this is a gang of quorum one, since nothing else is promised."""

from harness.case import case
from harness.core.gang import Gang
from harness.native import Native, gang_policy
from harness.world import World


@case(
    "With GangScheduling off the API MUST work and members MUST be placed one by one.",
    clauses=["WL-24"],
    needs=["workload-object"],
    profile="WORKLOAD-API",
    level="extended",
    disruptive=True,
    kubernetes="<1.37",
)
def test_gang_feature_off_places_pod_by_pod(world: World) -> None:
    native, policy = Native(world), gang_policy(4)
    world.set_gates(GangScheduling=False)
    world.nodes(1, gpus=4)
    world.create(native.workload("declared", {"members": policy}))

    gang = Gang("declared-one", size=4, quorum=1, gpus=2)
    live = world.submit(gang, objects=native.members(gang, policy, "declared", "members"))

    assert live.reaches_quorum()
    assert world.until(lambda: live.bound == 2, "bound")
    assert world.claim("two of four members fit and are bound", live.bound == 2, f"{live.bound} are bound")
