"""The user's Workload lacks the group that the JobSet asks for. Its pods cannot start; somebody has to say so."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "The controller SHOULD say by a warning which group a user's Workload lacks.",
    clauses=["REF-11"],
    needs=["jobset-gang"],
    level="extended",
)
def test_workload_without_the_group_is_reported(world: World) -> None:
    world.nodes(1, gpus=4)
    mine = world.objects.create(world.native.workload("w-train", {"something-else": world.native.gang_policy(2)}))
    jobset = world.submit(JobSet(ReplicatedJob("worker", pods=2), mode=GANG))

    def warnings() -> list[str]:
        messages = [event["message"] for event in jobset.events() if event["type"] == "Warning"]
        return [message for message in messages if "pg-train" in message]

    assert world.sees("a warning about the JobSet names the missing group", warnings, least=1)
    specs = [workload["spec"] for workload in jobset.workloads()]
    assert world.finds("the Workload is as it was", specs, equals=[mine["spec"]])
    assert jobset.has_pods(2)
    assert jobset.must_stay_unbound()
