"""A controller that waits for its gang should not have to count pods."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import LiveGang, World


def says_so(gang: LiveGang) -> bool:
    conditions = [pair for group in gang.groups() for pair in (group.state.get("conditions") or {}).items()]
    said = any(kind.lower().endswith("scheduled") and value[0] == "True" for kind, value in conditions)
    return said or any(group.state.get("phase") in ("Running", "Scheduled") for group in gang.groups())


@case(
    "The object of a gang that was placed SHOULD say so in its status.",
    clauses=["GANG-28", "WL-48"],
    needs=["gang", "group-object", "group-status"],
    strength="SHOULD",
    profile="GANG-LIFECYCLE",
)
def test_group_object_tells_that_the_gang_was_placed(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("known", size=4, gpus=2))
    assert gang.is_bound_whole()

    said = world.until(lambda: says_so(gang), "bound")

    assert world.claim("the gang's object says that it was placed", said, str([one.state for one in gang.groups()]))
