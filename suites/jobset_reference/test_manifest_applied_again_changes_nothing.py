"""Users write what they know of, not what was made of it: the injection must neither get lost nor double."""

from copy import deepcopy

from harness.cases.language import (
    INIT,
    JOBSET,
    VOLUME,
    BarrierJobSet,
    ReplicatedJob,
    World,
    barrier_map,
    case,
    template,
)


@case(
    "A JobSet that is written again without what was injected SHOULD keep its barrier, once.",
    clauses=["REF-04"],
    needs=["jobset-barrier"],
)
def test_manifest_applied_again_changes_nothing(world: World) -> None:
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=2), name="applied"))
    assert world.sees("its Jobs are made", lambda: jobset.signal_map, differs="")
    before = jobset.stored()
    written = deepcopy(before)
    pod = template(written, "workers")
    for field, reserved in (("initContainers", INIT), ("volumes", VOLUME)):
        pod[field] = [entry for entry in pod[field] if entry["name"] != reserved]
    labels = {"example.com/again": "yes"}
    change = {"metadata": {"labels": labels}, "spec": written["spec"]}
    assert world.objects.accepts_change(before, change, "it may be written without what was injected")
    after = jobset.stored()
    assert world.finds("it was written", after["metadata"]["labels"]["example.com/again"], equals="yes")
    assert world.finds(
        "its jobs are the same", after["spec"]["replicatedJobs"], equals=before["spec"]["replicatedJobs"]
    )
    assert world.finds("the barrier is there once", barrier_map(template(after, "workers")), equals=jobset.signal_map)

    copy = {**after, "status": {}, "metadata": {"name": "copy", "namespace": world.namespace}}
    assert world.objects.accepts(copy, "an exported JobSet is made again under another name")
    stored = world.objects.find(JOBSET, "copy")
    assert world.finds("its barrier is its own", barrier_map(template(stored, "workers")), equals=f"copy-{VOLUME}")

    unnamed = {**copy, "metadata": {"generateName": "made-", "namespace": world.namespace}}
    generated = world.objects.create(unnamed)
    reserved = barrier_map(template(generated, "workers"))
    expected = f"{generated['metadata']['name']}-{VOLUME}"
    assert world.finds("so is that of a generated name", reserved, equals=expected)
