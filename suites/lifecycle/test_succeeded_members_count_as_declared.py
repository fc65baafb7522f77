"""Part of a gang has done its work when a new member comes. Whether the gang is still at its quorum, no design says."""

from harness import Gang, World, case


@case(
    "Members that have succeeded MUST count towards the quorum of their gang, or not, as the integration declares.",
    clauses=["GANG-44"],
    needs=["quorum"],
    either=["counts-succeeded", "forgets-succeeded"],
    level="extended",
)
def test_succeeded_members_count_as_declared(world: World) -> None:
    world.nodes(2, gpus=3)
    gang = world.submit(Gang("elastic", size=4, quorum=3, missing=1))
    assert gang.is_bound_whole()
    assert gang.ends("Succeeded", "elastic-1", "elastic-2")

    gang.create_missing()

    if world.has_feature("counts-succeeded"):
        assert gang.takes_in("elastic-3")
    else:
        assert gang.keeps_waiting("elastic-3")
