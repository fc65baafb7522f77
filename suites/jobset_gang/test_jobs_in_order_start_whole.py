"""The jobs of the JobSet start one after another. Each of them is a gang, and the order does not split any."""

from harness.case import case
from harness.jobsets import GANG, job, submit
from harness.world import World


@case(
    "Jobs that start in order MUST each start whole, the first one first.",
    clauses=["JSG-32"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_jobs_in_order_start_whole(world: World) -> None:
    world.nodes(1, gpus=2)
    first, second = job("first", replicas=2, pods=1, mode=GANG), job("second", pods=3, mode=GANG)
    live = submit(world, first, second, in_order=True)
    gangs = [live.gangs["train-first"], live.gangs["train-second"]]
    world.start_in_order(*gangs)
    assert gangs[0].is_bound_whole()
    assert live.has_pods(3, "second")
    assert gangs[1].is_refused()

    world.nodes(1, gpus=3)
    assert gangs[1].is_bound_whole()
