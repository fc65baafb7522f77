"""The JobSet restarts while nobody can empty the ConfigMap: the old signal must not let the new pods pass."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "New pods of a JobSet that restarts while the controller is down MUST wait all the same.",
    clauses=["BAR-26"],
    disturbs="control-plane",
)
def test_controller_killed_during_a_restart_resets_the_barrier(world: World) -> None:
    _, late = world.nodes(2, gpus=1)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=2), name="blind", restarts=3))
    assert jobset.has_passed()
    first = jobset.uids()
    world.cluster.cordon(late)
    world.faults.kill("controller")
    world.delete(jobset.pods()[0]["metadata"]["name"])
    assert world.sees("no old pod is left", jobset.uids, "projected", excludes=first)
    assert jobset.has_waiting(1)
    assert world.finds("it does not pass by the old signal", jobset.running(), count=0)
    world.faults.restart("controller")
    assert jobset.stays_waiting()
    world.cluster.uncordon(late)
    assert jobset.has_passed()
