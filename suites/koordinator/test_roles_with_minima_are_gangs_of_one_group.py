"""A job of two roles, each with a minimum of its own: what other designs call minima of roles."""

from harness import Gang, World, case


@case(
    "A job of two roles with minima of their own MUST start when both are met, and not before.",
    clauses=["GANG-33", "KOORD-47"],
    needs=["quorum", "gang-group"],
    level="extended",
)
def test_roles_with_minima_are_gangs_of_one_group(world: World) -> None:
    world.nodes(1, gpus=4)

    server = world.submit(Gang("server", size=1, gpus=4, group=("worker",)))
    worker = world.submit(Gang("worker", size=4, quorum=2, gpus=2, group=("server",)))
    assert worker.is_refused()
    assert server.stays_pending()
    world.nodes(1, gpus=4)

    assert server.is_bound_whole()
    assert worker.reaches_quorum()
