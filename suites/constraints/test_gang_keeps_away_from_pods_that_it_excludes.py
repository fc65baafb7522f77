"""A gang may exclude pods that are none of its members, such as noisy neighbours."""

from harness.cases.language import Gang, World, apart, case, labelled


@case(
    "A gang whose members exclude another pod MUST be bound whole to nodes without that pod.",
    clauses=["GANG-11", "WL-47", "WL-81"],
    needs=["pod-affinity"],
    level="extended",
)
def test_gang_keeps_away_from_pods_that_it_excludes(world: World) -> None:
    world.nodes(3, gpus=4)
    noisy = world.pod(gpus=0, alter=labelled(app="noisy"))
    assert world.is_bound(noisy)

    gang = world.submit(Gang("quiet", size=4, gpus=2), alter=apart({"app": "noisy"}))

    assert gang.is_bound_whole()
    node = world.cluster.node_of(noisy)
    assert world.are_on("no member is beside the pod", gang, excludes=[node])
