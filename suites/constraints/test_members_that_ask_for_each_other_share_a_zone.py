"""Members that talk much want to be in one zone; which one does not matter to them."""

from harness.cases.language import ZONE, Gang, World, case, members_of, near


@case(
    "A gang whose members require each other in their zone MUST be bound whole inside of one zone.",
    clauses=["GANG-11", "WL-47", "WL-81"],
    needs=["pod-affinity"],
    level="extended",
)
def test_members_that_ask_for_each_other_share_a_zone(world: World) -> None:
    for zone in ("a", "b", "a", "b"):
        world.nodes(1, gpus=4, labels={ZONE: zone})

    gang = world.submit(Gang("close", size=4, gpus=2), alter=near(members_of("close"), within=ZONE))

    assert gang.is_bound_whole()
    assert world.are_on("all members are in one zone", gang, by=ZONE, count=1)
