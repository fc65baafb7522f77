"""There is room for all members, but one zone has room for one of them only, and the others may not outnumber it."""

from harness.cases.language import ZONE, Gang, World, case, spread


@case(
    "A gang whose members are to be spread MUST NOT be bound in part if not all of them can be within the skew.",
    clauses=["GANG-02", "GANG-11", "WL-47", "WL-81"],
    needs=["spread"],
    level="extended",
)
def test_gang_that_cannot_be_spread_binds_nothing(world: World) -> None:
    world.nodes(2, gpus=8, name="large", labels={ZONE: "large"})
    world.nodes(1, gpus=2, name="small", labels={ZONE: "small"})

    gang = world.submit(Gang("even", size=4, gpus=2), alter=spread("even", over=ZONE))

    assert gang.is_refused()
    assert gang.stays_pending()
