"""There is room for all members, but in no zone for all of them."""

from harness.cases.language import ZONE, Gang, World, case, members_of, near


@case(
    "A gang whose members require each other in their zone MUST NOT be bound in part if no zone has room for all.",
    clauses=["GANG-02", "GANG-11", "WL-47", "WL-81"],
    needs=["pod-affinity"],
    level="extended",
)
def test_gang_with_no_zone_for_all_its_members_binds_nothing(world: World) -> None:
    world.nodes(6, gpus=2, zones=2)

    gang = world.submit(Gang("close", size=4, gpus=2), alter=near(members_of("close"), within=ZONE))

    assert gang.is_refused()
    assert gang.stays_pending()
