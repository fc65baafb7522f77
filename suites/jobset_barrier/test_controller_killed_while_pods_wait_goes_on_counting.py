"""All a controller knows is in the API server: the last pod may start while it is down."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "A controller that was down while the last pod started MUST give the signal when it is back, and only then.",
    clauses=["BAR-13", "BAR-15"], needs=["jobset-barrier"], profile="JOBSET-BARRIER", disruptive=True,
)  # fmt: skip
def test_controller_killed_while_pods_wait_goes_on_counting(world: World) -> None:
    world.nodes(1, gpus=2)
    jobset = BarrierSet(world, "crash", ReplicatedJob(pods=3)).submit()
    assert jobset.has_waiting(2)
    world.kill("controller")
    world.nodes(1, gpus=1, name="late")
    assert jobset.has_waiting(3)
    assert jobset.is_held()
    world.restart("controller")
    assert jobset.is_released()
