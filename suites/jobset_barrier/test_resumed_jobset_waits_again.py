"""Suspending ends all pods, resuming makes new ones: they have not started, whatever the last ones did."""

from harness.cases.language import JOBSET, BarrierJobSet, ReplicatedJob, World, case


@case(
    "After a JobSet was suspended and resumed its barrier MUST stand again.",
    clauses=["BAR-26", "BAR-11"],
    disturbs="nodes",
)
def test_resumed_jobset_waits_again(world: World) -> None:
    _, late = world.nodes(2, gpus=1)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=2), name="pause"))
    assert jobset.has_passed()
    world.cluster.cordon(late)
    world.objects.change(JOBSET, "pause", {"spec": {"suspend": True}})
    assert world.sees("its pods are gone", jobset.pods, "gone", count=0)
    world.objects.change(JOBSET, "pause", {"spec": {"suspend": False}})
    assert jobset.has_waiting(1)
    assert jobset.stays_waiting()
    world.cluster.uncordon(late)
    assert jobset.has_passed()
