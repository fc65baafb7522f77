"""A JobSet that starts over has new Jobs and new pods, which must be gangs like those before them, at each level."""

from functools import partial

from harness.cases.language import GANG, REPLICATED, JobSet, Object, ReplicatedJob, SubmittedJobSet, World, case

LEVELS = {"whole": (GANG, "", "pg-whole"), "by-job": ("", GANG, "pg-worker"), "each": ("", REPLICATED, "pg-worker")}


def _may_restart(jobset: Object) -> None:
    jobset["spec"]["failurePolicy"] = {"maxRestarts": 1}


def _uids(live: SubmittedJobSet) -> list[str]:
    return [pod["metadata"]["uid"] for pod in live.pods()]


@case(
    "The pods of a JobSet that starts over MUST be in its gangs again, at each level.",
    clauses=["JSG-34", "JSG-12", "JSG-14", "JSG-16"],
)
def test_restarted_jobset_is_a_gang_again(world: World) -> None:
    world.nodes(1, gpus=12)
    for name, (whole, each, group) in LEVELS.items():
        job = ReplicatedJob("worker", replicas=2, pods=2, mode=each)
        live = world.submit(JobSet(job, name=name, mode=whole), alter=_may_restart)
        assert live.is_prepared()
        assert live.is_bound_whole()
        running = world.until(lambda jobset=live: all(gang.running() for gang in jobset.gangs), "bound")
        assert world.claim(f"all pods of {name} run", running)
        old = _uids(live)
        failed = live.pods()[0]["metadata"]["name"]
        world.objects.change(("v1", "Pod"), failed, {"status": {"phase": "Failed"}}, subresource="status")
        assert world.sees(
            f"all four pods of {name} are new ones", partial(_uids, live), "reconnected", count=4, excludes=old
        )
        assert live.is_bound_whole()
        for index in (0, 1) if each == REPLICATED else (None,):
            assert live.refers_to(group, "worker", index)
        references = live.references()
        count = 2 if each == REPLICATED else 1
        assert world.finds(f"the pods of {name} are in {count} gangs", references, count=count)
