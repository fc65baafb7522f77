"""Anti-affinity works both ways: a running pod may exclude members that say nothing about it."""

from harness.cases.language import Gang, World, apart, case, members_of


@case(
    "A gang MUST be bound whole to nodes without the pods that exclude its members.",
    clauses=["GANG-11", "WL-47", "WL-81"],
    needs=["pod-affinity"],
    level="extended",
)
def test_gang_keeps_away_from_pods_that_exclude_it(world: World) -> None:
    world.nodes(3, gpus=4)
    hermit = world.pod(gpus=0, alter=apart(members_of("guests")))
    assert world.is_bound(hermit)

    gang = world.submit(Gang("guests", size=4, gpus=2))

    assert gang.is_bound_whole()
    node = world.cluster.node_of(hermit)
    assert world.are_on("no member is beside the pod", gang, excludes=[node])
