"""The object is the user's. A scheduler that removes it takes away the declaration of the next try."""

from harness import Gang, World, case


@case(
    "A group object that a user made MUST still be there after its members are gone.",
    clauses=["KOORD-16", "GANG-35"],
    needs=["group-object"],
)
def test_group_object_stays_when_its_pods_are_gone(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("brief", size=2, gpus=2))
    assert gang.is_bound_whole()
    gang.delete("brief-0", "brief-1")
    assert gang.is_gone("brief-0", "brief-1")

    assert world.scheduler_is_working()
    assert world.scheduler_is_working()  # it may act on the group after it bound the first fence

    groups = [group.name for group in gang.groups() if not group.state.get("deleting")]
    assert world.finds("the group object is still there", groups, includes=["brief"])
