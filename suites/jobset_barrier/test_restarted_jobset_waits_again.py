"""A signal is for one attempt: after a restart the new pods wait for each other again."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "After a restart of the JobSet its barrier MUST stand again, until all new pods have started.",
    clauses=["BAR-26", "BAR-11"],
    disturbs="nodes",
)
def test_restarted_jobset_waits_again(world: World) -> None:
    _, late = world.nodes(2, gpus=2)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=2, replicas=2), name="again", restarts=3))
    assert jobset.has_passed()
    first = jobset.uids()
    world.cluster.cordon(late)
    world.delete(jobset.pods()[0]["metadata"]["name"])
    assert world.sees("the JobSet restarts", lambda: jobset.restarts, "projected", equals=1)
    assert world.sees("no old pod is left", jobset.uids, "projected", excludes=first)
    assert jobset.has_waiting(2)
    assert jobset.stays_waiting()
    world.cluster.uncordon(late)
    assert jobset.has_passed()
