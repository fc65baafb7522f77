"""The gang may stay where nodes are being drained, and that is no permission to be placed there."""

from harness.cases.language import Gang, Taint, World, case, tolerates

RESERVED = "example.com/reserved"


@case(
    "A gang that tolerates a taint with another effect MUST NOT use the node, not even for its last member.",
    clauses=["GANG-02", "GANG-11", "WL-47"],
    level="extended",
)
def test_toleration_of_another_effect_holds_the_gang(world: World) -> None:
    world.nodes(1, gpus=4)
    world.nodes(1, gpus=4, name="reserved", taints=[Taint(RESERVED, "training")])
    gang = world.submit(Gang("testing", size=3, gpus=2), alter=tolerates(RESERVED, "training", effect="NoExecute"))
    assert gang.is_refused()
    assert gang.stays_pending()

    world.nodes(1, gpus=4)

    assert gang.is_bound_whole()
