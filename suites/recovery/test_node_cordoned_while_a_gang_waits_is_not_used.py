"""Room for all appears, but half of it has been closed meanwhile."""

from harness import Gang, World, case


@case(
    "A waiting gang MUST NOT be bound in part when room for it appears on a cordoned node.",
    clauses=["GANG-02", "GANG-11", "GANG-17"],
    disturbs="nodes",
)
def test_node_cordoned_while_a_gang_waits_is_not_used(world: World) -> None:
    _, second = world.nodes(2, gpus=4)
    blocker = world.pod(gpus=4, alter=lambda pod: pod["spec"].update(nodeSelector={"kubernetes.io/hostname": second}))
    assert world.is_bound(blocker)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    world.cluster.cordon(second)
    world.delete(blocker)
    assert gang.stays_pending()
    world.cluster.uncordon(second)

    assert gang.is_bound_whole()
