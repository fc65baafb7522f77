"""Two zones of very different size: who fills nodes would put all members into the large one."""

from harness.cases.language import ZONE, Gang, World, case, spread


@case(
    "A gang whose members are to be spread over zones MUST be bound whole with no more than the allowed skew.",
    clauses=["GANG-11", "WL-47", "WL-81"],
    needs=["spread"],
    level="extended",
)
def test_members_to_be_spread_are_bound_evenly(world: World) -> None:
    world.nodes(3, gpus=8, name="large", labels={ZONE: "large"})
    world.nodes(1, gpus=4, name="small", labels={ZONE: "small"})

    gang = world.submit(Gang("even", size=4, gpus=2), alter=spread("even", over=ZONE))

    assert gang.is_bound_whole()
    assert world.are_on("both zones have members", gang, by=ZONE, equals={"large", "small"})
