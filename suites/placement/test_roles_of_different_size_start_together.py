"""A launcher that needs no GPU and workers that need many are one gang."""

from harness import Gang, Role, World, case


@case(
    "Members with different requests MUST be bound together.",
    clauses=["GANG-01", "WL-58"],
    needs=["roles"],
)
def test_roles_of_different_size_start_together(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("mixed", roles=(Role("launcher", 1, gpus=0), Role("worker", 2, gpus=4))))

    assert gang.is_bound_whole()
