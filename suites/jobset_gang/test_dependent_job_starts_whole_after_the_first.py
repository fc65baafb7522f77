"""Training begins when the data is there. Until then its gang does not exist, and nobody must wait for it."""

from harness.cases.language import GANG, JobSet, ReplicatedJob, World, case


@case(
    "A job that depends on another MUST form its gang when that one is complete, and MUST start whole then.",
    clauses=["JSG-31"],
)
def test_dependent_job_starts_whole_after_the_first(world: World) -> None:
    world.nodes(1, gpus=3)
    data, train = (
        ReplicatedJob("data", pods=2, mode=GANG, lifetime=1),
        ReplicatedJob("train", pods=4, mode=GANG, after="data"),
    )
    jobset = world.submit(JobSet(data, train, name="set"))
    first, second = jobset.gangs
    world.gangs.start_in_order(first, second)
    assert jobset.is_prepared()
    assert first.is_bound_whole()
    early = jobset.pods("train")
    done = world.objects.find(("batch/v1", "Job"), "set-data-0").get("status", {}).get("succeeded") == 2
    assert world.finds("the second job has no pods while the first runs", [] if done else early, count=0)

    assert jobset.has_pods(4, "train")
    assert second.is_refused()
    world.nodes(1, gpus=1)
    assert second.is_bound_whole()
