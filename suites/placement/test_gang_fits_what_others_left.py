"""Nodes are partly used already; the gang must be fitted into the rest without taking a GPU twice."""

from harness import Gang, World, case


@case(
    "A gang that fits into what other pods left MUST be bound whole, and no node MUST be overbooked.",
    clauses=["GANG-01", "GANG-04", "WL-57"],
)
def test_gang_fits_what_others_left(world: World) -> None:
    world.nodes(3, gpus=4)
    pods = [world.pod(gpus=2) for _ in range(3)]
    assert world.is_bound(*pods)

    gang = world.submit(Gang("rest", size=3, gpus=2))

    assert gang.is_bound_whole()
