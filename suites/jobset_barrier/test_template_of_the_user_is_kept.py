"""An injection adds, and takes nothing away."""

from harness.cases.language import INIT, BarrierJobSet, ReplicatedJob, World, case, template


@case(
    "Containers, init containers, volumes and annotations of the user's template MUST be kept.",
    clauses=["BAR-07"],
)
def test_template_of_the_user_is_kept(world: World) -> None:
    world.nodes(1, gpus=1)
    workload = BarrierJobSet(ReplicatedJob(), name="kept")
    (obj,) = world.objects.of(workload)
    pod_template = template(obj, "workers")
    pod_template["automountServiceAccountToken"] = False  # the API server would mount one into every container
    mount = {"name": "scratch", "mountPath": "/scratch"}
    pod_template["volumes"] = [{"name": "scratch", "emptyDir": {}}]
    pod_template["initContainers"] = [
        {"name": "fetch", "image": "fetch", "command": ["fetch"], "volumeMounts": [mount]}
    ]
    pod_template["containers"][0]["volumeMounts"] = [mount]
    pods = obj["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["metadata"]
    pods["annotations"] = {"example.com/team": "blue"}
    jobset = world.submit(workload, objects=[obj])
    assert jobset.has_started(1)
    (pod,) = jobset.pods()
    spec = pod["spec"]
    rest = [entry for entry in spec["initContainers"] if entry["name"] != INIT]
    entries = [{key: entry.get(key) for key in ("name", "image", "command", "volumeMounts")} for entry in rest]
    assert world.finds("the user's init container is as it was", entries, equals=pod_template["initContainers"])
    assert world.finds("volumes are kept", spec["volumes"], includes=pod_template["volumes"])
    assert world.finds("containers are kept", spec["containers"][0]["volumeMounts"], equals=[mount])
    assert world.finds("annotations are kept", pod["metadata"]["annotations"]["example.com/team"], equals="blue")
