"""A write to every pod would hurry the kubelets, and is what the design rules out: it does not scale."""

from harness.cases.language import BarrierJobSet, Object, ReplicatedJob, World, case


def _writers(meta: Object, subresource: str = "") -> list[str]:
    """Who wrote to an object, or to a subresource of it."""
    return [entry["manager"] for entry in meta["managedFields"] if entry.get("subresource", "") == subresource]


@case(
    "Releasing the pods MUST NOT write to any of them, neither to the pod nor to its status.",
    clauses=["BAR-17"],
)
def test_signal_costs_no_write_to_any_pod(world: World) -> None:
    world.nodes(1, gpus=3)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=4), name="untouched"))
    assert jobset.has_waiting(3)
    assert world.scheduler_is_working()  # it has said of the fourth pod that there is no room
    before = {pod["metadata"]["name"]: pod["metadata"] for pod in jobset.pods()}
    reporters = {manager for meta in before.values() for manager in _writers(meta, "status")}
    world.nodes(1, gpus=1, name="late")
    assert jobset.has_passed()
    after = {pod["metadata"]["name"]: pod["metadata"] for pod in jobset.pods()}
    for field in ("labels", "annotations", "generation"):
        changed = [name for name in before if before[name].get(field) != after[name].get(field)]
        assert world.finds(f"no pod has other {field}", changed, count=0)
    several = {name: _writers(meta) for name, meta in after.items() if len(_writers(meta)) > 1}
    assert world.finds("nobody but their maker wrote to the pods themselves", several, equals={})
    others = {manager for meta in after.values() for manager in _writers(meta, "status")} - reporters
    assert world.finds("nobody writes to their status who did not before the signal", others, count=0)
