"""A pod can be placed and still be far from running: here a volume is missing that its containers need."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "A pod that is bound but whose waiting container does not run MUST NOT be counted as started.",
    clauses=["BAR-10", "BAR-24"],
)
def test_bound_pod_has_not_started(world: World) -> None:
    world.nodes(1, gpus=3)
    jobs = ReplicatedJob(pods=2), ReplicatedJob("slow", needs="settings")
    jobset = world.submit(BarrierJobSet(*jobs, name="bound"))
    assert jobset.is_bound_whole()
    assert jobset.has_waiting(2)
    assert jobset.stays_held()
    world.objects.create(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "settings", "namespace": world.namespace},
        }
    )
    assert jobset.has_started(3)
    assert jobset.has_passed()
