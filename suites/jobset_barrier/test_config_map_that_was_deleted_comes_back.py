"""Somebody clears up too much. Pods that wait would wait for ever on a ConfigMap that is gone."""

from harness.cases.language import CONFIG_MAP, BarrierJobSet, ReplicatedJob, World, case


@case(
    "A ConfigMap that somebody deletes MUST be made again, and its JobSet be released all the same.",
    clauses=["BAR-08"],
)
def test_config_map_that_was_deleted_comes_back(world: World) -> None:
    world.nodes(1, gpus=1)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=2), name="cleared"))
    assert jobset.has_waiting(1)
    first = jobset.config_map()["metadata"]["uid"]
    world.objects.delete(CONFIG_MAP, jobset.signal_map)
    assert world.sees("there is a new one", lambda: jobset.config_map()["metadata"]["uid"], differs=first)
    assert jobset.stays_held()
    world.nodes(1, gpus=1, name="late")
    assert jobset.has_passed()
