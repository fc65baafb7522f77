"""Room for all appears, but half of it has been closed meanwhile."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A waiting gang MUST NOT be bound in part when room for it appears on a cordoned node.",
    clauses=["GANG-02", "GANG-11", "GANG-17"],
    profile="GANG-RECOVERY",
)
def test_node_cordoned_while_a_gang_waits_is_not_used(world: World) -> None:
    _, second = world.nodes(2, gpus=4)
    blocker = world.pod(gpus=4, alter=lambda pod: pod["spec"].update(nodeSelector={"kubernetes.io/hostname": second}))
    assert world.starts(blocker)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    world.cordon(second)
    world.delete_pod(blocker)
    assert gang.still_waits()
    world.uncordon(second)

    assert gang.is_bound_whole()
