"""Without the node of the noisy pod there is room for two of four members; the pod goes, and there is room for all."""

from harness.cases.language import Gang, World, apart, case, labelled


@case(
    "A gang MUST NOT be bound in part beside a pod that its members exclude, and MUST be bound when the pod is gone.",
    clauses=["GANG-02", "GANG-11", "WL-47", "WL-81"],
    needs=["pod-affinity"],
    level="extended",
)
def test_gang_with_too_few_nodes_without_excluded_pods_binds_nothing(world: World) -> None:
    world.nodes(2, gpus=4)
    noisy = world.pod(gpus=0, alter=labelled(app="noisy"))
    assert world.is_bound(noisy)

    gang = world.submit(Gang("quiet", size=4, gpus=2), alter=apart({"app": "noisy"}))
    assert gang.is_refused()
    assert gang.stays_pending()

    world.delete(noisy)

    assert gang.is_bound_whole()
