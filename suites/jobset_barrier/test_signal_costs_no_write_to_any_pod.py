"""A write to every pod would hurry the kubelets, and is what the design rules out: it does not scale."""

from harness.barriers import BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "Releasing the pods MUST NOT change any of them: labels, annotations and specs are as they were made.",
    clauses=["BAR-17"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_signal_costs_no_write_to_any_pod(world: World) -> None:
    world.nodes(1, gpus=3)
    jobset = BarrierSet(world, "untouched", ReplicatedJob(pods=4)).submit()
    assert jobset.has_waiting(3)
    before = {pod["metadata"]["name"]: pod["metadata"] for pod in jobset.pods()}
    world.nodes(1, gpus=1, name="late")
    assert jobset.is_released()
    after = {pod["metadata"]["name"]: pod["metadata"] for pod in jobset.pods()}
    for field in ("labels", "annotations", "generation"):
        changed = [name for name in before if before[name].get(field) != after[name].get(field)]
        assert world.claim(f"no pod has other {field}", not changed, f"changed: {changed}")
    writers = {
        name: [one["manager"] for one in meta["managedFields"] if "subresource" not in one]
        for name, meta in after.items()
    }
    several = {name: found for name, found in writers.items() if len(found) > 1}
    assert world.claim("nobody but their maker wrote to the pods themselves", not several, str(several))
