"""The cluster has room twice over, but no single rack has."""

from harness import Gang, World, case


@case(
    "A gang that fits no single domain MUST NOT be bound, though it fits the cluster.",
    clauses=["GANG-02", "GANG-24"],
)
def test_gang_without_a_large_enough_domain_binds_nothing(world: World) -> None:
    world.nodes(4, gpus=4, racks=4)

    gang = world.submit(Gang("close", size=4, gpus=2, topology=world.cluster.RACK))

    assert gang.is_refused()
    assert gang.stays_pending()
