"""The barrier is opt-in: a JobSet without it is what it was. A later JobSet shows that the controller is at work."""

from harness.cases.language import CONFIG_MAP, BarrierJobSet, ReplicatedJob, World, case

ROOT_CA = "kube-root-ca.crt"  # every namespace of a cluster with service accounts has this one


@case(
    "A JobSet that asks for no barrier MUST start at once, with nothing added to it and no ConfigMap.",
    clauses=["BAR-01"],
)
def test_jobset_that_asks_for_nothing_starts_at_once(world: World) -> None:
    world.nodes(1, gpus=3)
    plain = world.submit(BarrierJobSet(ReplicatedJob(pods=4), name="plain", asks=False))
    assert world.sees("the pods that have room run without the others", plain.running, count=3)
    held = [pod for pod in plain.pods() if pod["spec"].get("initContainers") or "configMap" in str(pod["spec"])]
    assert world.finds("nothing was added to its pods", held, count=0)

    asks = world.submit(BarrierJobSet(ReplicatedJob(gpus=0), name="asks"))
    assert asks.has_passed()
    names = {obj["metadata"]["name"] for obj in world.objects.all_of(CONFIG_MAP)} - {ROOT_CA}
    assert world.finds("a JobSet that does not ask has no ConfigMap", names, equals={asks.signal_map})
