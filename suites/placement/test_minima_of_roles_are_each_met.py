"""Three workers would be enough by number, but one of the four that must start is the server."""

from harness import Gang, Role, World, case


@case(
    "A gang MUST NOT start before the minimum of each of its roles can.",
    clauses=["GANG-32", "KOORD-47"],
    needs=["roles", "role-minima"],
    level="extended",
)
def test_minima_of_roles_are_each_met(world: World) -> None:
    world.nodes(3, gpus=4)  # room for the server also where workers are spread
    gang = world.submit(Gang("roles", roles=(Role("server", 1, gpus=4), Role("worker", 4, quorum=2, gpus=2))))
    assert gang.reaches_quorum()
    other = world.submit(Gang("more", roles=(Role("server", 1, gpus=8), Role("worker", 4, quorum=2, gpus=0))))

    assert other.is_refused()
    assert other.stays_pending()
