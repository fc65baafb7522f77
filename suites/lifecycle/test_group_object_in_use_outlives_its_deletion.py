"""Somebody deletes the group while its members run. They keep running, and the object may go only when they are
gone."""

from harness import Gang, World, case


@case(
    "A group object that is deleted under its running members MUST NOT take them along.",
    clauses=["GANG-35"],
    needs=["group-object"],
)
def test_group_object_in_use_outlives_its_deletion(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("running", size=4, gpus=2))
    assert gang.is_bound_whole()

    gang.delete(only="group")
    assert world.scheduler_is_working()
    assert world.scheduler_is_working()  # it may act on the group after it bound the first fence

    assert world.stand("all members still have their nodes", gang, least=4)
