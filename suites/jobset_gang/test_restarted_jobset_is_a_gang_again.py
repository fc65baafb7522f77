"""A JobSet that starts over has new Jobs and new pods, which must be gangs like those before them, at each level."""

from functools import partial

from harness.cases.language import GANG, REPLICATED, JobSet, Object, ReplicatedJob, SubmittedJobSet, World, case

LEVELS = {"whole": (GANG, "", "pg-whole"), "by-job": ("", GANG, "pg-worker"), "each": ("", REPLICATED, "pg-worker")}


def _may_restart(jobset: Object) -> None:
    jobset["spec"]["failurePolicy"] = {"maxRestarts": 1}


def _uids(jobset: SubmittedJobSet) -> list[str]:
    return [pod["metadata"]["uid"] for pod in jobset.pods()]


def _idle(jobset: SubmittedJobSet) -> list[str]:
    """The gangs of which not every pod runs."""
    return [gang.gang.name for gang in jobset.gangs if not gang.running()]


@case(
    "The pods of a JobSet that starts over MUST be in its gangs again, at each level.",
    clauses=["JSG-34", "JSG-12", "JSG-14", "JSG-16"],
)
def test_restarted_jobset_is_a_gang_again(world: World) -> None:
    world.nodes(1, gpus=12)
    for name, (whole, each, group) in LEVELS.items():
        job = ReplicatedJob("worker", replicas=2, pods=2, mode=each)
        jobset = world.submit(JobSet(job, name=name, mode=whole), alter=_may_restart)
        assert jobset.is_prepared()
        assert jobset.is_bound_whole()
        assert world.sees(f"all pods of {name} run", partial(_idle, jobset), count=0)
        old = _uids(jobset)
        failed = jobset.pods()[0]["metadata"]["name"]
        world.objects.change(("v1", "Pod"), failed, {"status": {"phase": "Failed"}}, subresource="status")
        assert world.sees(
            f"all four pods of {name} are new ones", partial(_uids, jobset), "reconnected", count=4, excludes=old
        )
        assert jobset.is_bound_whole()
        for index in (0, 1) if each == REPLICATED else (None,):
            assert jobset.refers_to(group, "worker", index)
        references = jobset.references()
        count = 2 if each == REPLICATED else 1
        assert world.finds(f"the pods of {name} are in {count} gangs", references, count=count)
