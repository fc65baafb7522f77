"""A sidecar job that watches over the training is no part of it, and must neither wait for it nor hold it up."""

from harness.cases.language import GANG, OFF, JobSet, ReplicatedJob, World, case


@case(
    "Jobs that do not ask to be a gang MUST have neither a group nor references, beside others that do.",
    clauses=["JSG-20"],
)
def test_jobs_that_do_not_ask_have_no_group(world: World) -> None:
    world.nodes(1, gpus=3)
    watcher, logger = ReplicatedJob("watcher", pods=1), ReplicatedJob("logger", pods=1, mode=OFF)
    jobset = world.submit(JobSet(watcher, logger, ReplicatedJob("worker", pods=2, mode=GANG)))
    assert jobset.is_prepared()
    assert jobset.has_pods(4)

    groups = list(jobset.groups())
    assert world.finds("only the job that asks has a group", groups, equals=["pg-worker"])
    for name in ("watcher", "logger"):
        references = jobset.references(name)
        assert world.finds(f"pods of {name} name no gang", references, equals=[{}])
    world.nodes(1, gpus=1)
    assert jobset.is_bound_whole()
    assert world.is_bound(*(pod["metadata"]["name"] for pod in jobset.pods("watcher") + jobset.pods("logger")))
