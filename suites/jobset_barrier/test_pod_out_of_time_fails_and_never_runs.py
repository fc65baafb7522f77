"""Waiting has an end: the init container fails, and with it the pod, its Job and, by default, the JobSet."""

from harness.barriers import INIT, BarrierSet, ReplicatedJob, container
from harness.case import case
from harness.world import World

TIMEOUT = 4  # seconds the JobSet allows


@case(
    "Out of time the waiting container MUST fail, the main one never run, and the JobSet fail by its policies.",
    clauses=["BAR-18", "BAR-20"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_pod_out_of_time_fails_and_never_runs(world: World) -> None:
    world.nodes(1, gpus=1)
    jobset = BarrierSet(world, "late", ReplicatedJob(), ReplicatedJob("missing", gpus=2), timeout=TIMEOUT).submit()
    assert jobset.has_waiting(1)

    def failed() -> bool:
        pod = jobset.pods("workers")[0]
        ended = container(pod, INIT)["state"]["terminated"]
        return ended["exitCode"] != 0 and pod["status"]["phase"] == "Failed" and "waiting" in container(pod)["state"]

    assert world.sees("the waiting container fails and the main one has not run", failed, "projected")
    assert world.sees("the JobSet fails", lambda: jobset.condition("Failed") == "True", "projected")
    assert world.claim("no signal was given", not jobset.signal())
