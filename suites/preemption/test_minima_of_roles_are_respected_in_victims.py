"""The lone server of the running gang must not be the victim while workers above their minimum would do."""

from harness import Gang, Role, World, case


@case(
    "When workers above their minimum are enough for a preemptor, whether the server is spared is reported.",
    clauses=["GANG-31", "GANG-32"],
    needs=["roles", "role-minima"],
    level="extended",
)
def test_minima_of_roles_are_respected_in_victims(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=1)
    roles = (Role("server", 1, gpus=1), Role("worker", 3, quorum=1, gpus=1))
    running = world.submit(Gang("running", roles=roles, priority=low))
    assert running.is_bound_whole()

    gang = world.submit(Gang("urgent", size=2, gpus=1, priority=high))

    gang.is_bound_whole()
    world.are_on("the server is spared", running, role="server", least=1)
