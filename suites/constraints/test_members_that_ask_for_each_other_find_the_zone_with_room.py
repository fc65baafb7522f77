"""Only one zone has room for all, and its nodes are busier than those of the others: who places the first member by
itself takes it to a zone in which the last one does not fit."""

from harness import Gang, World, case
from harness.cases.workloads import HOSTNAME, ZONE, members_of, near, only_nodes


@case(
    "A gang whose members require each other in their zone SHOULD find the one zone that has room for all of them.",
    clauses=["GANG-47", "WL-58", "WL-84"],
    needs=["pod-affinity"],
    level="extended",
)
def test_members_that_ask_for_each_other_find_the_zone_with_room(world: World) -> None:
    roomy = world.nodes(2, gpus=4, cpu="8", name="roomy", labels={ZONE: "roomy"})
    world.nodes(4, gpus=2, cpu="8", name="narrow", zones=2)
    work = [world.pod(gpus=0, cpu="6", alter=only_nodes(HOSTNAME, "In", node)) for node in roomy]
    assert world.is_bound(*work)

    gang = world.submit(Gang("close", size=4, gpus=2), alter=near(members_of("close"), within=ZONE))

    assert gang.is_bound_whole()
