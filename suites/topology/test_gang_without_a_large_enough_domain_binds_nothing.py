"""The cluster has room twice over, but no single rack has."""

from harness.box.nodes import RACK
from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A gang that fits no single domain MUST NOT be bound, though it fits the cluster.",
    clauses=["GANG-02", "GANG-24"],
    needs=["gang", "topology"],
    profile="GANG-TOPOLOGY",
)
def test_gang_without_a_large_enough_domain_binds_nothing(world: World) -> None:
    world.nodes(4, gpus=4, racks=4)

    gang = world.submit(Gang("close", size=4, gpus=2, topology=RACK))

    assert gang.is_refused()
    assert gang.still_waits()
