"""Kubernetes can make Workloads for Jobs by itself. For Jobs of a JobSet somebody else has done so already."""

from harness.case import case
from harness.jobsets import GANG, job, submit
from harness.world import World


@case(
    "The Job controller MUST NOT add a Workload for Jobs of a gang, nor change the references of their pods.",
    clauses=["JSG-09"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
    level="extended",
    disruptive=True,
    kubernetes=">=1.36",
)
def test_job_controller_adds_no_workload(world: World) -> None:
    world.nodes(1, gpus=8)
    world.set_gates(WorkloadWithJob=True)
    live = submit(world, job(replicas=2, pods=2, mode=GANG))
    assert live.is_prepared()
    assert live.gang.is_bound_whole("reconnected")

    names = [one["metadata"]["name"] for one in live.workloads()]
    assert world.claim("there is no other Workload", names == ["w-train"], str(names))
    said = live.references()
    own = live.reference("pg-worker", "pg-train.worker")
    assert world.claim("pods name what the JobSet's controller wrote", said == [own], str(said))
