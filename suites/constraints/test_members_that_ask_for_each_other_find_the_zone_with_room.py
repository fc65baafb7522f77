"""Only one zone has room for all. It has neither the emptiest nor the fullest nodes, so who places the first member by
itself, spreading or packing, takes it to a zone in which the last one does not fit."""

from harness.cases.language import HOSTNAME, ZONE, Gang, World, case, members_of, near, only_nodes


@case(
    "A gang whose members require each other in their zone SHOULD find the one zone that has room for all of them.",
    clauses=["GANG-47", "WL-58", "WL-84"],
    needs=["pod-affinity"],
    level="extended",
)
def test_members_that_ask_for_each_other_find_the_zone_with_room(world: World) -> None:
    roomy = world.nodes(2, gpus=4, cpu="8", name="roomy", labels={ZONE: "roomy"})
    world.nodes(2, gpus=4, cpu="8", name="empty", zones=2)
    full = world.nodes(2, gpus=2, cpu="8", name="full", labels={ZONE: "full"})
    busy = {**dict.fromkeys(roomy, "6"), **dict.fromkeys(full, "7")}
    work = [world.pod(gpus=0, cpu=cpu, alter=only_nodes(HOSTNAME, "In", node)) for node, cpu in busy.items()]
    assert world.is_bound(*work)

    gang = world.submit(Gang("close", size=4, gpus=2), alter=near(members_of("close"), within=ZONE))

    assert gang.is_bound_whole()
