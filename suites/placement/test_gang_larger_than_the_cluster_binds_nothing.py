"""No amount of waiting helps this gang; what matters is that its first members are not placed in the meantime."""

from harness import Gang, World, case


@case(
    "A gang of twice the size of the cluster MUST NOT have a single member bound.",
    clauses=["GANG-02", "GANG-37", "WL-35"],
)
def test_gang_larger_than_the_cluster_binds_nothing(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("giant", size=16, gpus=1))

    assert gang.is_refused()
    assert gang.stays_pending()
