"""The gang had its quorum of members while it waited. One of them is deleted, and then room appears for the rest."""

from harness import Gang, World, case


@case(
    "A gang that lost a member while it waited MUST NOT be bound below its quorum when room appears.",
    clauses=["GANG-09", "WL-29", "KOORD-46"],
)
def test_deleted_member_of_a_waiting_gang_no_longer_counts(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("shrunk", size=4, gpus=2))
    assert gang.is_refused()
    gang.delete("shrunk-0")
    assert gang.is_gone("shrunk-0")

    world.nodes(1, gpus=4)
    assert gang.stays_pending()
    gang.create_again("shrunk-0", suffix="-again")

    assert gang.is_bound_whole()
