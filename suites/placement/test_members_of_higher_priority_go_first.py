"""Members of one gang differ in priority, and there is room for the quorum only: who runs shows who was tried first.
All of them have been refused before the room appears, so that the scheduler has the choice."""

from harness.cases.language import Gang, Object, World, case


@case(
    "Of a gang with room for its quorum only, the members of higher priority SHOULD be the ones that are bound.",
    clauses=["GANG-18", "WL-60"],
    needs=["quorum", "member-priority"],
    level="extended",
)
def test_members_of_higher_priority_go_first(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    important = ("ranked-2", "ranked-3")

    def rank(pod: Object) -> None:
        pod["spec"]["priorityClassName"] = high if pod["metadata"]["name"] in important else low

    world.nodes(1, gpus=2)
    gang = world.submit(Gang("ranked", size=4, quorum=2, gpus=2), alter=rank)
    assert gang.is_refused()
    world.nodes(1, gpus=2)

    assert gang.reaches_quorum()
    assert world.stand("the two of higher priority are bound", *important, least=2)
    assert world.stand("the two of lower priority are not", "ranked-0", "ranked-1", most=0)
