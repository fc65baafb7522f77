"""All a controller knows is in the API server: the last pod may start while it is down."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "A controller that was down while the last pod started MUST give the signal when it is back, and only then.",
    clauses=["BAR-13", "BAR-15"],
    disturbs="control-plane",
)
def test_controller_killed_while_pods_wait_goes_on_counting(world: World) -> None:
    world.nodes(1, gpus=2)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=3), name="crash"))
    assert jobset.has_waiting(2)
    world.faults.kill("controller")
    world.nodes(1, gpus=1, name="late")
    assert jobset.has_waiting(3)
    assert jobset.is_held()
    world.faults.restart("controller")
    assert jobset.has_passed()
