"""A JobSet of the same name is another JobSet, even while the garbage collector still clears up after the first."""

from harness.cases.language import JOBSET, BarrierJobSet, ReplicatedJob, World, case


@case(
    "A JobSet that is deleted and made again under its name MUST find its barrier standing.",
    clauses=["BAR-26", "BAR-08"],
    disturbs="nodes",
)
def test_recreated_jobset_waits_again(world: World) -> None:
    _, late = world.nodes(2, gpus=1)
    first = world.submit(BarrierJobSet(ReplicatedJob(pods=2), name="twice"))
    assert first.has_passed()
    world.cluster.cordon(late)
    first.delete()
    assert world.sees("the first JobSet is gone", lambda: world.objects.find(JOBSET, "twice"), equals={})
    second = world.submit(BarrierJobSet(ReplicatedJob(pods=2), name="twice"))
    assert second.has_waiting(1)
    assert second.stays_held()
    world.cluster.uncordon(late)
    assert second.has_passed()
