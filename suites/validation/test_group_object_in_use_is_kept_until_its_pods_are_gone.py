"""A deleted PodGroup that vanished under its members would leave them without a declaration."""

from harness import Gang, World, case


@case(
    "A PodGroup that is deleted MUST stay while a member runs, and MUST go with the last.",
    clauses=["GANG-13", "GANG-35"],
    needs=["gang", "group-object"],
)
def test_group_object_in_use_is_kept_until_its_pods_are_gone(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("running", size=2, gpus=2))
    assert gang.is_bound_whole()

    gang.delete(only="group")
    assert world.scheduler_is_working()
    groups = [group.name for group in gang.groups() if group.kind.startswith("PodGroup")]
    assert world.finds("the PodGroup is kept while members run", groups, equals=["running"])
    gang.delete()

    assert gang.is_gone()
