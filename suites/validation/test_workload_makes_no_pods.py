"""A Workload says how pods are to be treated, not that there should be any."""

from harness import World, case


@case(
    "A Workload MUST NOT make pods appear, and pods MUST NOT make a Workload appear.",
    clauses=["WL-02", "WL-25"],
)
def test_workload_makes_no_pods(world: World) -> None:
    world.nodes(1, gpus=1)

    assert world.objects.accepts(world.native.workload("app"), "a Workload can be created")
    assert world.is_bound(world.pod(gpus=1))

    pods = [pod["metadata"]["name"] for pod in world.objects.all_of(("v1", "Pod"))]
    workloads = [workload["metadata"]["name"] for workload in world.objects.all_of((world.native.version, "Workload"))]
    assert world.finds("the only pod is the one we made", pods, equals=["pod-1"])
    assert world.finds("the only Workload is the one we made", workloads, equals=["app"])
