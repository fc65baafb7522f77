"""Waiting has an end: the init container fails, and with it the pod, its Job and, by default, the JobSet."""

from harness import World, case
from harness.cases.workloads import INIT, BarrierJobSet, ReplicatedJob, container

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

    def failed() -> bool:
        pod = jobset.pods("workers")[0]
        ended = container(pod, INIT)["state"]["terminated"]
        return ended["exitCode"] != 0 and pod["status"]["phase"] == "Failed" and "waiting" in container(pod)["state"]

    assert world.sees("the waiting container fails and the main one has not run", failed, "projected")
    assert world.sees("the JobSet fails", lambda: jobset.condition("Failed") == "True", "projected")
    assert world.claim("no signal was given", not jobset.signal())
