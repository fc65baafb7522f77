"""Part of a gang has failed when a new member comes: two of three are no quorum, or are they?"""

from harness import Gang, World, case


@case(
    "Members that have failed MUST count towards the quorum of their gang, or not, as the integration declares.",
    clauses=["GANG-44"],
    needs=["quorum"],
    either=["counts-failed", "forgets-failed"],
    level="extended",
)
def test_failed_members_count_as_declared(world: World) -> None:
    world.nodes(2, gpus=3)
    gang = world.submit(Gang("elastic", size=4, quorum=3, missing=1))
    assert gang.is_bound_whole()
    assert gang.ends("Failed", "elastic-1", "elastic-2")

    gang.create_missing()

    if world.has_feature("counts-failed"):
        assert gang.takes_in("elastic-3")
    else:
        assert gang.keeps_waiting("elastic-3")
