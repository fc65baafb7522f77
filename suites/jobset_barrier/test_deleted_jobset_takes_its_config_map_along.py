"""Nothing is left of a JobSet that waited, nor of one that ran: no pod, no ConfigMap."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "Deleting a JobSet MUST remove its ConfigMap.",
    clauses=["BAR-27"],
)
def test_deleted_jobset_takes_its_config_map_along(world: World) -> None:
    world.nodes(1, gpus=3)
    runs = world.submit(BarrierJobSet(ReplicatedJob(pods=2), name="runs"))
    waits = world.submit(BarrierJobSet(ReplicatedJob(), ReplicatedJob("missing", gpus=9), name="waits"))
    assert runs.has_passed()
    assert waits.has_waiting(1)
    for jobset in (runs, waits):
        jobset.delete()
        assert world.sees(f"the ConfigMap of {jobset.name} goes", jobset.config_map, "gone", equals={})
        assert world.sees(f"the pods of {jobset.name} go", jobset.pods, "gone", count=0)
