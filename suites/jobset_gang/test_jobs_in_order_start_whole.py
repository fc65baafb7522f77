"""The jobs of the JobSet start one after another. Each of them is a gang, and the order does not split any."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "Jobs that start in order MUST each start whole, the first one first.",
    clauses=["JSG-32"],
)
def test_jobs_in_order_start_whole(world: World) -> None:
    world.nodes(1, gpus=2)
    first, second = ReplicatedJob("first", replicas=2, pods=1, mode=GANG), ReplicatedJob("second", pods=3, mode=GANG)
    jobset = world.submit(JobSet(first, second, in_order=True))
    assert jobset.is_prepared()
    world.gangs.start_in_order(*jobset.gangs)
    assert jobset.gangs[0].is_bound_whole()
    assert jobset.has_pods(3, "second")
    assert jobset.gangs[1].is_refused()

    world.nodes(1, gpus=3)
    assert jobset.gangs[1].is_bound_whole()
