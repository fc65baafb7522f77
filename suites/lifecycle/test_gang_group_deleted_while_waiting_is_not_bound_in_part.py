"""The declaration goes while the members wait, and then room appears for some of them."""

from harness import Gang, World, case


@case(
    "Waiting members whose group object is deleted MUST NOT be bound in part.",
    clauses=["GANG-02", "GANG-15", "WL-26"],
    needs=["group-object", "group-first"],
)
def test_gang_group_deleted_while_waiting_is_not_bound_in_part(world: World) -> None:
    world.nodes(1, gpus=2)
    gang = world.submit(Gang("orphans", size=4, gpus=2))
    assert gang.is_refused()

    gang.delete(only="group")
    world.nodes(1, gpus=4)

    assert gang.stays_pending()
