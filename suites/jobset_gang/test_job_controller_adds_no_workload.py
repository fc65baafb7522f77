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
    live = world.submit(JobSet(ReplicatedJob("worker", replicas=2, pods=2, mode=GANG)))
    assert live.is_prepared()
    assert live.is_bound_whole("reconnected")

    names = [workload["metadata"]["name"] for workload in live.workloads()]
    assert world.finds("there is no other Workload", names, equals=["w-train"])
    assert live.refers_to("pg-worker", "worker")
