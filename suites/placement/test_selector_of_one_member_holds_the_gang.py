"""Members of one gang need not be alike: one of them may need a node of its own kind."""

from harness.cases.language import Gang, Object, World, case

KIND = "example.com/kind"


def picky(pod: Object) -> None:
    if pod["metadata"]["name"].endswith("-2"):
        pod["spec"]["nodeSelector"] = {KIND: "fast"}


@case(
    "A gang MUST wait for a node that a single member selects, and this member MUST be bound to such a node.",
    clauses=["GANG-02", "GANG-11", "WL-47"],
    level="extended",
)
def test_selector_of_one_member_holds_the_gang(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("mixed", size=3, gpus=1), alter=picky)
    assert gang.is_refused()
    assert gang.stays_pending()

    world.nodes(1, gpus=4, name="fast", labels={KIND: "fast"})

    assert gang.is_bound_whole()
