"""Users write what they know of, not what was made of it: the injection must neither get lost nor double."""

from copy import deepcopy

from harness.barriers import INIT, JOBSET, VOLUME, BarrierSet, ReplicatedJob, has_barrier, template
from harness.case import case
from harness.world import World


@case(
    "A JobSet that is written again without what was injected SHOULD keep its barrier, once.",
    clauses=["BAR-07", "BAR-25"], needs=["jobset-barrier"], profile="JOBSET-BARRIER", strength="SHOULD",
)  # fmt: skip
def test_manifest_applied_again_changes_nothing(world: World) -> None:
    jobset = BarrierSet(world, "applied", ReplicatedJob(pods=2)).submit()
    before = jobset.stored()
    written = deepcopy(before)
    pod = template(written, "workers")
    for field, own in (("initContainers", INIT), ("volumes", VOLUME)):
        pod[field] = [one for one in pod[field] if one["name"] != own]
    labels = {"example.com/again": "yes"}
    change = {"metadata": {"labels": labels}, "spec": written["spec"]}
    assert jobset.accepts(change, "it may be written without what was injected")
    after = jobset.stored()
    assert world.claim("it was written", after["metadata"]["labels"].items() >= labels.items())
    assert world.claim("its jobs are the same", after["spec"]["replicatedJobs"] == before["spec"]["replicatedJobs"])
    assert world.claim("the barrier is there once", has_barrier(template(after, "workers"), jobset.signal_map))

    copy = {**after, "status": {}, "metadata": {"name": "copy", "namespace": world.namespace}}
    assert world.accepts(copy, "an exported JobSet is made again under another name")
    stored = world.find(JOBSET, "copy")
    assert world.claim("its barrier is its own", has_barrier(template(stored, "workers"), "copy-group-scheduling"))

    unnamed = {**copy, "metadata": {"generateName": "made-", "namespace": world.namespace}}
    made = world.api.create(unnamed)
    own = f"{made['metadata']['name']}-group-scheduling"
    assert world.claim("so is that of a generated name", has_barrier(template(made, "workers"), own), own)
