"""No scheduler tries every placement. For a gang whose members depend on each other one may exist that was not found,
and a user who reads the refusal should be told so."""

from harness.cases.language import ZONE, Gang, World, case, members_of, near


@case(
    "The refusal of a gang whose members depend on each other SHOULD say that a placement may have been missed.",
    clauses=["WL-59"],
    needs=["pod-affinity", "hints-at-limits"],
    level="extended",
)
def test_refusal_of_members_that_depend_on_each_other_says_so(world: World) -> None:
    world.nodes(4, gpus=2, zones=2)

    gang = world.submit(Gang("close", size=4, gpus=2), alter=near(members_of("close"), within=ZONE))

    assert gang.is_refused()
    hints = [text for text in gang.refusals() if "guarantee" in text or "may exist" in text]
    assert world.finds("the refusal hints at a placement that was not found", hints, least=1)
