"""Group objects are kept by a controller in many designs. It is killed while a gang waits."""

from harness import Gang, World, case


@case(
    "A gang that waits while its controllers are restarted MUST be bound whole when room appears.",
    clauses=["GANG-05", "GANG-17"],
    level="extended",
    disturbs="control-plane",
)
def test_controllers_restarted_while_a_gang_waits(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    world.faults.restart("controller")
    world.nodes(1, gpus=4)

    assert gang.is_bound_whole()
