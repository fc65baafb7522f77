"""The other end: not one GPU is left over, so a scheduler that keeps a reserve, or books one member twice, cannot
pass."""

from harness import Gang, World, case


@case(
    "A gang that takes every GPU of the cluster MUST be bound whole.",
    clauses=["GANG-01", "GANG-04", "WL-36", "WL-57"],
)
def test_gang_as_large_as_the_cluster_is_bound_whole(world: World) -> None:
    world.nodes(4, gpus=4)

    gang = world.submit(Gang("all", size=16, gpus=1))

    assert gang.is_bound_whole()
