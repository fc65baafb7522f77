"""Half of one replica and half of another are no gang."""

from harness.case import case
from harness.core.gang import Gang
from harness.native import Native, gang_policy
from harness.world import World


@case(
    "Members of another replica MUST NOT count towards the minimum.",
    clauses=["WL-31", "GANG-08"],
    needs=["gang", "workload-object"],
    profile="WORKLOAD-API",
)
def test_replicas_do_not_count_for_each_other(world: World) -> None:
    native, policy = Native(world), gang_policy(4)
    world.nodes(2, gpus=4)
    world.create(native.workload("app", {"members": policy}))

    halves = []
    for key in ("key-1", "key-2"):
        gang = Gang(f"app-{key}", size=4, gpus=1, missing=2)
        halves.append(world.submit(gang, objects=native.members(gang, policy, "app", "members", key)))

    for half in halves:
        assert half.still_waits()
