"""Somebody clears up too much. Pods that wait would wait for ever on a ConfigMap that is gone."""

from harness.barriers import CONFIG_MAP, BarrierSet, ReplicatedJob
from harness.case import case
from harness.world import World


@case(
    "A ConfigMap that somebody deletes MUST be made again, and its JobSet be released all the same.",
    clauses=["BAR-08"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_config_map_that_was_deleted_comes_back(world: World) -> None:
    world.nodes(1, gpus=1)
    jobset = BarrierSet(world, "cleared", ReplicatedJob(pods=2)).submit()
    assert jobset.has_waiting(1)
    first = jobset.config_map()["metadata"]["uid"]
    world.remove(CONFIG_MAP, jobset.signal_map)
    assert world.sees("there is a new one", lambda: jobset.config_map()["metadata"]["uid"] != first)
    assert jobset.stays_held()
    world.nodes(1, gpus=1, name="late")
    assert jobset.is_released()
