"""A running gang that fell below its quorum: is it still a gang, which needs its quorum, or pods that once were one?"""

from harness import Gang, World, case


@case(
    "A gang below its quorum that had started MUST take in a new member at once, or wait for the quorum, as declared.",
    clauses=["GANG-44"],
    needs=["quorum"],
    either=["refills-singly", "refills-whole"],
    level="extended",
)
def test_gang_that_lost_members_is_refilled_as_declared(world: World) -> None:
    world.nodes(2, gpus=3)
    gang = world.submit(Gang("elastic", size=4, quorum=3, missing=1))
    assert gang.is_bound_whole()
    gang.delete("elastic-1", "elastic-2")
    assert gang.is_gone("elastic-1", "elastic-2")

    gang.create_missing()

    if world.has_feature("refills-singly"):
        assert gang.takes_in("elastic-3")
    else:
        assert gang.keeps_waiting("elastic-3")
