"""The gang was too large, so its user makes the Workload anew with a smaller minimum and leaves the pods as they
are."""

from harness.case import case
from harness.core.gang import Gang
from harness.native import Native, gang_policy
from harness.world import World


@case(
    "A Workload that is made anew with another minimum MUST govern the pods that wait.",
    clauses=["WL-34", "GANG-27"],
    needs=["gang", "quorum", "workload-object"],
    profile="WORKLOAD-API",
    kubernetes="<1.36",
)
def test_recreated_workload_governs_waiting_pods(world: World) -> None:
    native = Native(world)
    world.nodes(2, gpus=4)
    made = native.workload("app", {"members": gang_policy(6)})
    world.create(made)
    gang = Gang("app-one", size=4, quorum=4, gpus=2)
    live = world.submit(gang, objects=native.members(gang, gang_policy(6), "app", "members"))
    assert live.still_waits()

    world.api.delete(world.api.resource(made["apiVersion"], "Workload"), world.namespace, "app")
    world.create(native.workload("app", {"members": gang_policy(4)}))

    assert live.is_bound_whole()
