"""All pods are to start together, but one job comes after another: that gang can never be complete. Say so."""

from functools import partial

from harness.cases.language import GANG, JobSet, ReplicatedJob, SubmittedJobSet, World, case


def _warnings(jobset: SubmittedJobSet) -> list[str]:
    messages = [event["message"] for event in jobset.events() if event["type"] == "Warning"]
    return [message for message in messages if "gang" in message]


@case(
    "The controller SHOULD say by a warning why a gang whose jobs wait for each other never starts.",
    clauses=["REF-11"],
    needs=["jobset-gang"],
)
def test_gang_whose_jobs_wait_for_each_other_is_reported(world: World) -> None:
    world.nodes(1, gpus=8)
    depends = world.submit(
        JobSet(ReplicatedJob("data", pods=2), ReplicatedJob("train", pods=2, after="data"), name="depends", mode=GANG)
    )
    ordered = world.submit(
        JobSet(ReplicatedJob("data", pods=2), ReplicatedJob("train", pods=2), name="ordered", mode=GANG, in_order=True)
    )
    for jobset in (depends, ordered):
        assert jobset.has_pods(2)
        assert world.sees(
            f"a warning about JobSet {jobset.name} speaks of its gang", partial(_warnings, jobset), least=1
        )
        assert jobset.must_stay_unbound()
