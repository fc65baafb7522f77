"""A pod fails and the JobSet starts over: all its Jobs are made anew, and their pods wait for each other once more."""

from harness.case import case
from harness.jobsets import GANG, job, submit
from harness.world import Object, World


def _may_restart(jobset: Object) -> None:
    jobset["spec"]["failurePolicy"] = {"maxRestarts": 1}


@case(
    "The pods of a JobSet that starts over MUST be in its gang again.",
    clauses=["JSG-34", "JSG-12"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_restarted_jobset_is_a_gang_again(world: World) -> None:
    world.nodes(1, gpus=4)
    live = submit(world, job(replicas=2, pods=2), mode=GANG, alter=_may_restart)
    assert live.gang.is_bound_whole()
    assert world.claim("all its pods run", world.until(live.gang.running, "bound"))
    old = {pod["metadata"]["uid"] for pod in live.pods()}
    world.change(
        ("v1", "Pod"), live.pods()[0]["metadata"]["name"], {"status": {"phase": "Failed"}}, subresource="status"
    )

    def anew() -> bool:
        pods = live.pods()
        return len(pods) == 4 and not old & {pod["metadata"]["uid"] for pod in pods}

    assert world.sees("all four pods are new ones", anew, "reconnected")
    assert live.gang.is_bound_whole()
    said = live.references()
    assert world.claim("they name the same gang", said == [live.reference("pg-train", "pg-train")], str(said))
