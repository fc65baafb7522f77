"""The node of a pod that excludes the members is the one that the last two of them need."""

from harness.cases.language import Gang, World, apart, case, members_of


@case(
    "A gang MUST NOT be bound in part beside a pod that excludes its members, and MUST be bound when the pod is gone.",
    clauses=["GANG-02", "GANG-11", "WL-47", "WL-81"],
    needs=["pod-affinity"],
    level="extended",
)
def test_gang_with_too_few_nodes_without_pods_that_exclude_it_binds_nothing(world: World) -> None:
    world.nodes(2, gpus=4)
    hermit = world.pod(gpus=0, alter=apart(members_of("guests")))
    assert world.is_bound(hermit)

    gang = world.submit(Gang("guests", size=4, gpus=2))
    assert gang.is_refused()
    assert gang.stays_pending()

    world.delete(hermit)

    assert gang.is_bound_whole()
