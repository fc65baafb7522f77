"""A ConfigMap under the name that was there first belongs to somebody: it is not written to, and the pods wait."""

from harness.cases.language import CONFIG_MAP, VOLUME, BarrierJobSet, ReplicatedJob, World, case


@case(
    "A ConfigMap of the user's under the name SHOULD be left as it is, and the pods wait until it is gone.",
    clauses=["REF-03"],
    needs=["jobset-barrier"],
)
def test_config_map_of_somebody_else_is_left_alone(world: World) -> None:
    world.nodes(1, gpus=3)
    theirs = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "data": {"mine": "yes"},
        "metadata": {"name": f"taken-{VOLUME}", "namespace": world.namespace},
    }
    world.objects.create(theirs)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=2), name="taken"))
    assert jobset.has_waiting(2)
    other = world.submit(BarrierJobSet(ReplicatedJob(), name="other"))
    assert other.has_passed()
    assert world.finds("the ConfigMap is as it was", jobset.config_map().get("data"), equals=theirs["data"])
    assert jobset.is_held()
    world.objects.delete(CONFIG_MAP, jobset.signal_map)
    assert jobset.has_passed()
