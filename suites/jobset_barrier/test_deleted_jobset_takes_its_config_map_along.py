"""Nothing is left of a JobSet that waited, nor of one that ran: no pod, no ConfigMap."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "Deleting a JobSet MUST remove its ConfigMap.",
    clauses=["BAR-27"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_deleted_jobset_takes_its_config_map_along(world: World) -> None:
    world.nodes(1, gpus=3)
    runs = BarrierSet(world, "runs", ReplicatedJob(pods=2)).submit()
    waits = BarrierSet(world, "waits", ReplicatedJob(), ReplicatedJob("missing", gpus=9)).submit()
    assert runs.is_released()
    assert waits.has_waiting(1)
    for jobset in (runs, waits):
        jobset.delete()
        assert world.sees(f"the ConfigMap of {jobset.name} goes", lambda one=jobset: not one.config_map(), "gone")
        assert world.sees(f"the pods of {jobset.name} go", lambda one=jobset: not one.pods(), "gone")
