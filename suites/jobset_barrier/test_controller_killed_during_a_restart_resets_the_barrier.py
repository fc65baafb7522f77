"""The JobSet restarts while nobody can empty the ConfigMap: the old signal must not let the new pods pass."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "New pods of a JobSet that restarts while the controller is down MUST wait all the same.",
    clauses=["BAR-26"], needs=["jobset-barrier"], profile="JOBSET-BARRIER", disruptive=True,
)  # fmt: skip
def test_controller_killed_during_a_restart_resets_the_barrier(world: World) -> None:
    _, late = world.nodes(2, gpus=1)
    jobset = BarrierSet(world, "blind", ReplicatedJob(pods=2), restarts=3).submit()
    assert jobset.is_released()
    first = {pod["metadata"]["uid"] for pod in jobset.pods()}
    world.cordon(late)
    world.kill("controller")
    world.delete_pod(jobset.pods()[0]["metadata"]["name"])
    assert world.sees(
        "a new pod waits",
        lambda: len(jobset.waiting()) == 1 and not first & {pod["metadata"]["uid"] for pod in jobset.pods()},
        "projected",
    )
    assert world.claim("it does not pass by the old signal", not jobset.running())
    world.restart("controller")
    assert world.sees("the old signal is taken back", lambda: not jobset.signal(), "recounted")
    assert jobset.stays_held()
    world.uncordon(late)
    assert jobset.is_released()
