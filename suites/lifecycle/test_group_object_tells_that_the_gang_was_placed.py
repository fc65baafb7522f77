"""A controller that waits for its gang should not have to count pods."""

from functools import partial
from typing import Any

from harness.cases.language import Gang, SubmittedGang, World, case


def placed_groups(gang: SubmittedGang) -> list[str]:
    """The names of the gang's objects whose status says that it was placed."""
    return [group.name for group in gang.groups() if says_so(group.state)]


def says_so(state: dict[str, Any]) -> bool:
    conditions = (state.get("conditions") or {}).items()
    placed = any(kind.lower().endswith("scheduled") and value[0] == "True" for kind, value in conditions)
    return placed or state.get("phase") in ("Running", "Scheduled")


@case(
    "The object of a gang that was placed SHOULD say so in its status.",
    clauses=["GANG-28", "WL-48"],
    needs=["group-object", "group-status"],
)
def test_group_object_tells_that_the_gang_was_placed(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("known", size=4, gpus=2))
    assert gang.is_bound_whole()

    assert world.sees("the gang's object says that it was placed", partial(placed_groups, gang), least=1)
