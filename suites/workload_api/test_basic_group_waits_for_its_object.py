"""Even a basic group is unknown until its object is there."""

from harness.case import case
from harness.core.gang import Gang
from harness.native import BASIC, Native
from harness.world import World


@case(
    "Members of a basic group MUST wait for their object, and MUST be bound once it exists.",
    clauses=["WL-26", "WL-33"],
    needs=["basic-policy", "workload-object", "group-first"],
    profile="WORKLOAD-API",
)
def test_basic_group_waits_for_its_object(world: World) -> None:
    native = Native(world)
    world.nodes(1, gpus=4)
    gang = Gang("loose", size=2, quorum=1, gpus=2)
    members = native.members(gang, BASIC, "app", "members")
    live = world.submit(gang, objects=[obj for obj in members if obj["kind"] == "Pod"])
    assert live.still_waits()

    world.create(native.workload("app", {"members": BASIC}))
    for obj in members:
        if obj["kind"] != "Pod":
            world.create(obj)

    assert live.is_bound_whole()
