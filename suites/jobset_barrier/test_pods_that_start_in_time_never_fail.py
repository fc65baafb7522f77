"""The time limit is one for waiting: a JobSet that has passed is safe from it. One that does run out tells the time."""

from harness.cases.language import INIT, BarrierJobSet, ReplicatedJob, World, case, container

SHORT, LONG = 6, 300  # seconds that the JobSets allow; the long one is enough for the slowest kubelet


@case(
    "Pods that all start in time MUST end their waiting well, and never fail for the time limit.",
    clauses=["BAR-05", "BAR-15", "BAR-19"],
)
def test_pods_that_start_in_time_never_fail(world: World) -> None:
    world.nodes(1, gpus=3)
    whole = world.submit(BarrierJobSet(ReplicatedJob(pods=2), name="whole", timeout=LONG))
    assert whole.has_passed()
    codes = [container(pod, INIT)["state"].get("terminated", {}).get("exitCode") for pod in whole.pods()]
    assert world.finds("every waiting container ended well", codes, equals=[0, 0])
    short = world.submit(BarrierJobSet(ReplicatedJob(), ReplicatedJob("missing", gpus=4), name="short", timeout=SHORT))
    late = "a JobSet that came later runs out of time"
    assert world.sees(late, lambda: short.condition("Failed"), "projected", equals="True")
    assert world.finds("the one that passed still runs", whole.running(), count=2)
    assert world.finds("it has not failed", whole.condition("Failed"), differs="True")
