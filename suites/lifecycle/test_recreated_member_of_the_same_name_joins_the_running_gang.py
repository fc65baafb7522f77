"""Stateful controllers give the replacement the name of the pod it replaces; only the uid tells them apart."""

from harness import Gang, World, case


@case(
    "A member that is deleted and created again under its name MUST be bound into its running gang.",
    clauses=["GANG-14", "WL-45", "KOORD-33"],
)
def test_recreated_member_of_the_same_name_joins_the_running_gang(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("running", size=4, gpus=2))
    assert gang.is_bound_whole()
    gang.delete("running-2")
    assert gang.is_gone("running-2")
    assert world.sees("its name can be used again", lambda: world.objects.find(("v1", "Pod"), "running-2"), count=0)

    gang.create_again("running-2")

    assert gang.is_bound_whole()
