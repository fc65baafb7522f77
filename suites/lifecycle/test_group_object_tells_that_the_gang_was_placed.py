"""A controller that waits for its gang should not have to count pods."""

from harness.cases.language import Gang, SubmittedGang, World, case


def says_so(gang: SubmittedGang) -> bool:
    conditions = [pair for group in gang.groups() for pair in (group.state.get("conditions") or {}).items()]
    placed = any(kind.lower().endswith("scheduled") and value[0] == "True" for kind, value in conditions)
    return placed or any(group.state.get("phase") in ("Running", "Scheduled") for group in gang.groups())


@case(
    "The object of a gang that was placed SHOULD say so in its status.",
    clauses=["GANG-28", "WL-48"],
    needs=["group-object", "group-status"],
)
def test_group_object_tells_that_the_gang_was_placed(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("known", size=4, gpus=2))
    assert gang.is_bound_whole()

    placed = world.until(lambda: says_so(gang), "bound")

    assert world.claim(
        "the gang's object says that it was placed", placed, str([group.state for group in gang.groups()])
    )
