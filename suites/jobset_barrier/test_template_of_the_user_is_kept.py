"""An injection adds; it neither takes away nor puts anything of the user's in front of the barrier."""

from harness.barriers import INIT, VOLUME, BarrierSet, ReplicatedJob, template
from harness.case import case
from harness.world import World


@case(
    "Containers, init containers, volumes and annotations of the user's template MUST be kept, behind the barrier.",
    clauses=["BAR-07"], needs=["jobset-barrier"], profile="JOBSET-BARRIER",
)  # fmt: skip
def test_template_of_the_user_is_kept(world: World) -> None:
    world.nodes(1, gpus=1)
    jobset = BarrierSet(world, "kept", ReplicatedJob())
    wanted = template(jobset.object, "workers")
    wanted["automountServiceAccountToken"] = False  # the API server would mount one into every container
    mount = {"name": "scratch", "mountPath": "/scratch"}
    wanted["volumes"] = [{"name": "scratch", "emptyDir": {}}]
    wanted["initContainers"] = [{"name": "fetch", "image": "fetch", "command": ["fetch"], "volumeMounts": [mount]}]
    wanted["containers"][0]["volumeMounts"] = [mount]
    pods = jobset.object["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["metadata"]
    pods["annotations"] = {"example.com/team": "blue"}
    jobset.submit()
    assert jobset.has_started(1)
    (pod,) = jobset.pods()
    spec = pod["spec"]
    rest = [one for one in spec["initContainers"] if one["name"] != INIT]
    assert world.claim("the user's init container comes after the waiting one", [
        one["name"] for one in spec["initContainers"]] == [INIT, "fetch"])  # fmt: skip
    assert world.claim("it is as it was", wanted["initContainers"][0].items() <= rest[0].items(), str(rest))
    assert world.claim(
        "volumes are kept", [one for one in spec["volumes"] if one["name"] != VOLUME] == wanted["volumes"]
    )
    assert world.claim("containers are kept", spec["containers"][0]["volumeMounts"] == [mount])
    assert world.claim("annotations are kept", pod["metadata"]["annotations"]["example.com/team"] == "blue")
