"""The first place a user looks at when nothing runs."""

from harness.case import case
from harness.core.evidence import group_refused
from harness.core.gang import Gang
from harness.world import World


@case(
    "The object of a gang without room SHOULD say so in its status.",
    clauses=["GANG-28", "WL-48", "WL-52"],
    needs=["gang", "group-object", "group-status"],
    strength="SHOULD",
    profile="GANG-LIFECYCLE",
)
def test_group_object_tells_that_the_gang_was_refused(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("unlucky", size=4, gpus=2))
    assert gang.is_refused()

    said = world.until(lambda: any(group_refused(one.state) for one in gang.groups()), "refused")

    assert world.claim("the gang's object says that it has no room", said, str([one.state for one in gang.groups()]))
