"""A nomination keeps room free for a pod. A refused gang that keeps its nominations is still in everybody's way."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import LiveGang, World


def nominated(gang: LiveGang) -> list[str]:
    return [one.name for one in gang.members() if one.state.get("nominated")]


@case(
    "A gang that was refused MUST NOT have members nominated to nodes.",
    clauses=["WL-53", "WL-54"],
    needs=["gang", "workload-object"],
    profile="WORKLOAD-API",
    kubernetes=">=1.36",
)
def test_refused_gang_keeps_no_nomination(world: World) -> None:
    world.nodes(1, gpus=6)
    gang = world.submit(Gang("refused", size=4, gpus=2))
    assert gang.is_refused()
    assert world.until(lambda: len(gang.refused_members()) == 4, "refused")

    clear = world.until(lambda: not nominated(gang), "window")

    assert world.claim("no member is nominated", clear, str(nominated(gang)))
