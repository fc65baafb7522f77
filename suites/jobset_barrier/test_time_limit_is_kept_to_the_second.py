"""A limit that strikes early fails healthy JobSets; one that strikes late keeps expensive nodes for nothing."""

from functools import partial

from harness.cases.language import INIT, BarrierJobSet, ReplicatedJob, SubmittedBarrier, World, case, container, lasted

LIMITS = {"short": 3, "longer": 9}  # seconds that the JobSets allow


def _spent(jobset: SubmittedBarrier) -> list[float]:
    return [lasted(container(pod, INIT)) for pod in jobset.pods("workers")]


@case(
    "A waiting container MUST fail when the time limit of its JobSet is over, neither before nor much later.",
    clauses=["BAR-31", "BAR-18"],
)
def test_time_limit_is_kept_to_the_second(world: World) -> None:
    world.nodes(1, gpus=2)
    late = world.deadline("started")
    jobsets = {
        name: world.submit(BarrierJobSet(ReplicatedJob(), ReplicatedJob("missing", gpus=3), name=name, timeout=limit))
        for name, limit in LIMITS.items()
    }
    for name, jobset in jobsets.items():
        assert jobset.has_started(1)
        waiting = partial(_spent, jobset)
        assert world.sees(f"the waiting container of {name} ends", waiting, "projected", count=1)
        (spent,) = waiting()
        limit = LIMITS[name]
        assert world.finds(f"the limit of {name} is kept", spent, least=limit, most=limit + late)
