"""A ConfigMap under the name that was there first belongs to somebody: it is not written to, and the pods wait."""

from harness.barriers import CONFIG_MAP, BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "A ConfigMap of the user's under the name SHOULD be left as it is, and the pods wait until it is gone.",
    clauses=["BAR-08"], needs=["jobset-barrier"], profile="JOBSET-BARRIER", strength="SHOULD",
)  # fmt: skip
def test_config_map_of_somebody_else_is_left_alone(world: World) -> None:
    world.nodes(1, gpus=3)
    jobset = BarrierSet(world, "taken", ReplicatedJob(pods=2))
    theirs = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"mine": "yes"},
              "metadata": {"name": jobset.signal_map, "namespace": world.namespace}}  # fmt: skip
    world.create(theirs)
    jobset.submit()
    assert jobset.has_waiting(2)
    other = BarrierSet(world, "other", ReplicatedJob()).submit()
    assert other.is_released()
    assert world.claim("the ConfigMap is as it was", jobset.config_map()["data"] == theirs["data"])
    assert jobset.is_held()
    world.remove(CONFIG_MAP, jobset.signal_map)
    assert jobset.is_released()
