"""Room for all but one pod. A JobSet that is a gang takes none of it, until there is room for all."""

from harness.case import case
from harness.jobsets import GANG, job, submit
from harness.world import World


@case(
    "The pods of a JobSet that is a gang MUST all be bound at once, or none of them, over all its jobs and replicas.",
    clauses=["JSG-28"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_jobset_starts_whole_or_not_at_all(world: World) -> None:
    world.nodes(1, gpus=4)
    live = submit(world, job("driver", pods=1), job("worker", replicas=2, pods=2), mode=GANG)
    assert live.has_pods(5)
    assert live.gang.is_refused()

    world.nodes(1, gpus=1)
    assert live.gang.is_bound_whole()
