"""A Workload says how pods are to be treated, not that there should be any."""

from harness.box.api import POD
from harness.case import case
from harness.native import Native
from harness.world import World


@case(
    "A Workload MUST NOT make pods appear, and pods MUST NOT make a Workload appear.",
    clauses=["WL-02", "WL-25"],
    needs=["workload-object"],
    profile="WORKLOAD-API",
)
def test_workload_makes_no_pods(world: World) -> None:
    world.nodes(1, gpus=1)

    assert world.accepts(Native(world).workload("app"), "a Workload can be created")
    assert world.starts(world.pod(gpus=1))

    pods = [pod["metadata"]["name"] for pod in world.api.list(POD, world.namespace)]
    resource = world.api.resource(Native(world).version, "Workload")
    workloads = [one["metadata"]["name"] for one in world.api.list(resource, world.namespace)]
    assert world.claim("the only pod is the one we made", pods == ["pod-1"], str(pods))
    assert world.claim("the only Workload is the one we made", workloads == ["app"], str(workloads))
