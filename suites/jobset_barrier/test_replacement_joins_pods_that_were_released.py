"""The barrier is for the start of an attempt. A pod that replaces one later finds the others at work, and joins."""

from harness.cases.language import BarrierJobSet, ReplicatedJob, World, case


@case(
    "A pod that replaces one after the signal MUST start by itself, in the same attempt.",
    clauses=["BAR-15"],
)
def test_replacement_joins_pods_that_were_released(world: World) -> None:
    world.nodes(1, gpus=3)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=3, retries=5), name="joined"))
    assert jobset.has_passed()
    lost = jobset.pods()[-1]["metadata"]
    world.delete(lost["name"])

    assert world.sees("there is a new pod", jobset.uids, "projected", count=3, excludes=[lost["uid"]])
    names = {pod["metadata"]["name"] for pod in jobset.pods()}
    assert world.sees("all run again", lambda: set(jobset.running()), "projected", equals=names)
    assert world.finds("it is the same attempt", jobset.restarts, equals=0)
