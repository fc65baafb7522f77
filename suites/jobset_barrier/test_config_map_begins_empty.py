"""The signal's carrier is there before any pod can be, and says nothing."""

from harness.cases.language import CONFIG_MAP, BarrierJobSet, ReplicatedJob, World, barrier_map, case

ROOT_CA = "kube-root-ca.crt"  # every namespace of a cluster with service accounts has this one


@case(
    "A JobSet that asks MUST get one ConfigMap for all its Jobs, empty, in its namespace.",
    clauses=["BAR-08", "BAR-09"],
)
def test_config_map_begins_empty(world: World) -> None:
    jobset = world.submit(BarrierJobSet(ReplicatedJob("a"), ReplicatedJob("b", replicas=2), name="asks"))
    assert world.sees("its Jobs are made", jobset.jobs, count=3)
    assert world.sees("its ConfigMap is made", jobset.config_map, least=1)
    config_map = jobset.config_map()
    content = {key: config_map.get(key) for key in ("data", "binaryData") if config_map.get(key)}
    assert world.finds("the ConfigMap is empty", content, equals={})
    mounted = {barrier_map(job["spec"]["template"]["spec"]) for job in jobset.jobs().values()}
    assert world.finds("all its Jobs mount that one", mounted, equals={jobset.signal_map})
    names = {obj["metadata"]["name"] for obj in world.objects.all_of(CONFIG_MAP)} - {ROOT_CA}
    assert world.finds("there is one for all its Jobs", names, equals={jobset.signal_map})
