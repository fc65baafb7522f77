"""Users who look for the signal find it by names that they know: those of the design's own example."""

from harness import World, case
from harness.cases.workloads import CONFIG_MAP, INIT, VOLUME, BarrierJobSet, ReplicatedJob, owner


@case(
    "The ConfigMap, its volume, its mount path and its key SHOULD have the names of the design's example.",
    clauses=["REF-05"],
    needs=["jobset-barrier"],
)
def test_names_of_a_barrier_follow_from_the_jobset(world: World) -> None:
    world.nodes(1, gpus=1)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(), name="named"))
    assert jobset.has_passed()
    assert world.claim("the ConfigMap has its name", jobset.signal_map == f"named-{VOLUME}", jobset.signal_map)
    (pod,) = jobset.pods()
    first = pod["spec"]["initContainers"][0]
    assert world.claim("the waiting container is the first", first["name"] == INIT, first["name"])
    mounts = [mount["mountPath"] for mount in first["volumeMounts"] if mount["name"] == VOLUME]
    assert world.claim("it has the volume at its path", mounts == [f"/mnt/{VOLUME}"], str(mounts))
    assert world.claim("the signal is the file started", jobset.signal() == "started", jobset.signal())
    config_map = world.objects.find(CONFIG_MAP, jobset.signal_map)
    mine = owner(config_map).get("uid") == jobset.stored()["metadata"]["uid"]
    assert world.claim("the JobSet controls the ConfigMap", mine, str(owner(config_map)))
