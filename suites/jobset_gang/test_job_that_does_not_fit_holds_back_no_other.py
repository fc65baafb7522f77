"""One job of the JobSet has no room, another has: the one that fits starts whole, the other takes nothing."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "A job that is a gang MUST be bound whole or not at all, and MUST NOT hold back another job of its JobSet.",
    clauses=["JSG-29"],
)
def test_job_that_does_not_fit_holds_back_no_other(world: World) -> None:
    world.nodes(1, gpus=3)
    jobset = world.submit(
        JobSet(ReplicatedJob("large", replicas=2, pods=2, mode=GANG), ReplicatedJob("small", pods=2, mode=GANG))
    )
    assert jobset.is_prepared()
    large, small = jobset.gangs
    assert jobset.has_pods(6)
    assert small.is_bound_whole()
    assert large.is_refused()

    world.nodes(1, gpus=3)
    assert large.is_bound_whole()
