"""Not every group is a gang. Members of a basic group are placed as they come and as they fit."""

from harness.case import case
from harness.core.gang import Gang
from harness.native import BASIC, Native
from harness.world import World


@case(
    "Of a basic group as many members MUST be bound as fit.",
    clauses=["WL-33", "WL-67"],
    needs=["basic-policy", "workload-object"],
    profile="WORKLOAD-API",
)
def test_basic_group_waits_for_nobody(world: World) -> None:
    native = Native(world)
    world.nodes(1, gpus=4)
    world.create(native.workload("app", {"members": BASIC}))
    gang = Gang("loose", size=4, quorum=1, gpus=2)

    live = world.submit(gang, objects=native.members(gang, BASIC, "app", "members"))

    assert live.reaches_quorum()
    assert world.until(lambda: live.bound == 2, "bound")
    assert world.passes()
    assert world.claim("two of four members fit and are bound", live.bound == 2, f"{live.bound} are bound")
