"""Kubernetes can make Workloads for Jobs by itself. For Jobs of a JobSet somebody else has done so already."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "The Job controller MUST NOT add a Workload for Jobs of a gang, nor change the references of their pods.",
    clauses=["JSG-09"],
    level="extended",
    disturbs="control-plane",
    kubernetes=">=1.36",
)
def test_job_controller_adds_no_workload(world: World) -> None:
    world.nodes(1, gpus=8)
    world.faults.set_gates(WorkloadWithJob=True)
    jobset = world.submit(JobSet(ReplicatedJob("worker", replicas=2, pods=2, mode=GANG)))
    assert jobset.is_prepared()
    assert jobset.is_bound_whole("reconnected")

    names = [workload["metadata"]["name"] for workload in jobset.workloads()]
    assert world.finds("there is no other Workload", names, equals=["w-train"])
    assert jobset.refers_to("pg-worker", "worker")
