"""The launcher would fit at any time. It must not run, for its worker never will."""

from harness import Gang, Role, World, case


@case(
    "A gang with one member that fits on no node MUST NOT have any other member bound.",
    clauses=["GANG-02", "WL-35", "WL-58"],
    needs=["roles"],
)
def test_role_that_fits_nowhere_holds_back_all(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("lopsided", roles=(Role("launcher", 3, gpus=0), Role("worker", 1, gpus=8))))

    assert gang.is_refused()
    assert gang.stays_pending()
