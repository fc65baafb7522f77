"""All pods are to start together, but one job comes after another: that gang can never be complete. Say so."""

from functools import partial

from harness.case import case
from harness.jobsets import GANG, LiveJobSet, job, submit
from harness.world import World


def _warned(live: LiveJobSet) -> bool:
    return any(event["type"] == "Warning" and "gang" in event["message"] for event in live.events())


@case(
    "Of a gang whose jobs wait for each other nothing MUST be bound, and the controller SHOULD say why.",
    clauses=["JSG-28", "JSG-33"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
    strength="SHOULD",
)
def test_gang_whose_jobs_wait_for_each_other_is_reported(world: World) -> None:
    world.nodes(1, gpus=8)
    depends = submit(world, job("data"), job("train", after="data"), name="depends", mode=GANG)
    ordered = submit(world, job("data"), job("train"), name="ordered", mode=GANG, in_order=True)
    for live in (depends, ordered):
        assert live.has_pods(2)
        assert world.sees(f"a warning about JobSet {live.name} speaks of its gang", partial(_warned, live))
        assert live.gang.stays_unbound()
