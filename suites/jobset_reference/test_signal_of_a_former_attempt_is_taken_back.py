"""What is in the ConfigMap is true: after a restart it says nothing until the new pods have started."""

from harness.cases.language import JOBSET, BarrierJobSet, ReplicatedJob, World, case


@case(
    "The ConfigMap SHOULD be emptied when its JobSet restarts or is suspended, until all new pods have started.",
    clauses=["REF-06"],
    disturbs="nodes",
    needs=["jobset-barrier"],
)
def test_signal_of_a_former_attempt_is_taken_back(world: World) -> None:
    _, late = world.nodes(2, gpus=1)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=2), name="emptied", restarts=3))
    assert jobset.has_passed()
    world.cluster.cordon(late)
    world.delete(jobset.pods()[0]["metadata"]["name"])
    assert world.sees("the signal of the first attempt is taken back", jobset.signal, "projected", equals="")
    assert jobset.has_waiting(1)
    assert jobset.stays_held()
    world.cluster.uncordon(late)
    assert jobset.has_passed()
    world.objects.change(JOBSET, "emptied", {"spec": {"suspend": True}})
    assert world.sees("the signal goes while it is suspended", jobset.signal, "projected", equals="")
