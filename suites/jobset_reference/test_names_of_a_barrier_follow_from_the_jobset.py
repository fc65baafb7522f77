"""Users who look for the signal find it by names that they know: those of the design's own example."""

from harness.cases.language import CONFIG_MAP, INIT, VOLUME, BarrierJobSet, ReplicatedJob, World, case, owner


@case(
    "The ConfigMap, its volume, its mount path and its key SHOULD have the names of the design's example.",
    clauses=["REF-05"],
    needs=["jobset-barrier"],
)
def test_names_of_a_barrier_follow_from_the_jobset(world: World) -> None:
    world.nodes(1, gpus=1)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(), name="named"))
    assert jobset.has_passed()
    assert world.finds("the ConfigMap has its name", jobset.signal_map, equals=f"named-{VOLUME}")
    (pod,) = jobset.pods()
    first = pod["spec"]["initContainers"][0]
    assert world.finds("the waiting container is the first", first["name"], equals=INIT)
    mounts = [mount["mountPath"] for mount in first["volumeMounts"] if mount["name"] == VOLUME]
    assert world.finds("it has the volume at its path", mounts, equals=[f"/mnt/{VOLUME}"])
    assert world.finds("the signal is the file started", jobset.signal(), equals="started")
    config_map = world.objects.find(CONFIG_MAP, jobset.signal_map)
    uid = jobset.stored()["metadata"]["uid"]
    assert world.finds("the JobSet controls the ConfigMap", owner(config_map).get("uid"), equals=uid)
