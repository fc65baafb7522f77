"""Every watch of the scheduler is cut; what happens next it must learn from a new list."""

from harness import Gang, World, case


@case(
    "A gang that waits while the API server is restarted MUST be bound whole when room appears.",
    clauses=["GANG-05", "GANG-17"],
    level="extended",
    disturbs="control-plane",
)
def test_api_server_restarted_while_a_gang_waits(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()
    assert world.is_at_rest()

    world.faults.restart("apiserver")
    world.nodes(1, gpus=4)

    assert gang.is_bound_whole("reconnected")
