"""With this policy a gang stays one after it has started: what runs and what waits have to be the minimum together."""

from harness import Gang, World, case


@case(
    "A gang that counts waiting and running members MUST take in new ones when both are its minimum, and not before.",
    clauses=["KOORD-51"],
    needs=["match-policy", "quorum"],
    level="extended",
)
def test_gang_that_counts_running_members_waits_for_its_quorum(world: World) -> None:
    world.nodes(2, gpus=3)
    gang = world.submit(Gang("elastic", size=5, quorum=3, missing=2, style="waiting-and-running"))
    assert gang.is_bound_whole()
    gang.delete("elastic-1", "elastic-2")
    assert gang.is_gone("elastic-1", "elastic-2")

    gang.create_missing(1)
    assert gang.keeps_waiting("elastic-3")
    gang.create_missing(1)

    assert gang.takes_in("elastic-3")
    assert gang.takes_in("elastic-4")
