"""One job of the JobSet has no room, another has: the one that fits starts whole, the other takes nothing."""

from harness.case import case
from harness.jobsets import GANG, job, submit
from harness.world import World


@case(
    "A job that is a gang MUST be bound whole or not at all, and MUST NOT hold back another job of its JobSet.",
    clauses=["JSG-29"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_job_that_does_not_fit_holds_back_no_other(world: World) -> None:
    world.nodes(1, gpus=3)
    live = submit(world, job("large", replicas=2, pods=2, mode=GANG), job("small", pods=2, mode=GANG))
    small, large = live.gangs["train-small"], live.gangs["train-large"]
    assert live.has_pods(6)
    assert small.is_bound_whole()
    assert large.is_refused()

    world.nodes(1, gpus=3)
    assert large.is_bound_whole()
