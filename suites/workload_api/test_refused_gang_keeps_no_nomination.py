"""A nomination keeps room free for a pod. A refused gang that keeps its nominations still keeps others out."""

from harness.cases.language import Gang, SubmittedGang, World, case


def nominated(gang: SubmittedGang) -> list[str]:
    return [pod.name for pod in gang.pods() if pod.state.get("nominated")]


@case(
    "A gang that was refused MUST NOT have members nominated to nodes.",
    clauses=["WL-53", "WL-54"],
    needs=["gang"],
    kubernetes=">=1.36",
)
def test_refused_gang_keeps_no_nomination(world: World) -> None:
    world.nodes(1, gpus=6)
    gang = world.submit(Gang("refused", size=4, gpus=2))
    assert gang.is_refused()
    informed = world.until(lambda: len(gang.refused_members()) == 4, "refused")
    assert world.claim("every member says that it was refused", informed or None, str(gang.refused_members()))

    assert world.sees("no member is nominated", lambda: nominated(gang), "window", count=0)
