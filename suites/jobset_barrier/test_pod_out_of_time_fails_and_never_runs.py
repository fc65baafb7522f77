"""Waiting has an end: the init container fails, and with it the pod, its Job and, by default, the JobSet."""

from harness.cases.language import INIT, BarrierJobSet, ReplicatedJob, World, case, container

TIMEOUT = 4  # seconds the JobSet allows


@case(
    "Out of time the waiting container MUST fail, the main one never run, and the JobSet fail by its policies.",
    clauses=["BAR-18", "BAR-20"],
)
def test_pod_out_of_time_fails_and_never_runs(world: World) -> None:
    world.nodes(1, gpus=1)
    jobset = world.submit(
        BarrierJobSet(ReplicatedJob(), ReplicatedJob("missing", gpus=2), name="late", timeout=TIMEOUT)
    )
    assert jobset.has_waiting(1)

    def state() -> dict[str, object]:
        pod = jobset.pods("workers")[0]
        code = container(pod, INIT)["state"]["terminated"]["exitCode"]
        return {"failed": code != 0, "phase": pod["status"]["phase"], "main": list(container(pod)["state"])}

    failed = {"failed": True, "phase": "Failed", "main": ["waiting"]}
    assert world.sees("the waiting container fails and the main one has not run", state, "projected", equals=failed)
    assert world.sees("the JobSet fails", lambda: jobset.condition("Failed"), "projected", equals="True")
    assert world.finds("no signal was given", jobset.signal(), equals="")
