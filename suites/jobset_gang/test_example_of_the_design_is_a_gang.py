"""The design's own example: a gangConfig, a Workload of the user's and references to it in both templates, together."""

from harness.cases.language import GANG, JobSet, Object, ReplicatedJob, World, case


@case(
    "A gangConfig with a user's Workload and references in all templates MUST be one gang, as the user described it.",
    clauses=["JSG-05", "JSG-06", "JSG-27", "JSG-28"],
)
def test_example_of_the_design_is_a_gang(world: World) -> None:
    native, name = world.native, "sample-jobset"
    by_hand = native.reference(f"w-{name}", f"pg-{name}", f"pg-{name}")

    def refer(jobset: Object) -> None:
        for entry in jobset["spec"]["replicatedJobs"]:
            entry["template"]["spec"]["template"]["spec"][native.reference_field] = by_hand

    back = {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": name}
    mine = world.objects.create(
        native.workload(f"w-{name}", {f"pg-{name}": native.gang_policy(16)}, controllerRef=back)
    )
    if not native.inline:
        world.objects.create(native.group(f"pg-{name}", native.gang_policy(16), f"w-{name}", f"pg-{name}", label=name))
    world.nodes(1, gpus=15)
    jobs = (ReplicatedJob(f"replicated-job-{number}", replicas=2, pods=4) for number in (1, 2))
    jobset = world.submit(JobSet(*jobs, name=name, mode=GANG), alter=refer)
    assert jobset.has_pods(16)
    assert jobset.is_refused()
    world.nodes(1, gpus=1)
    assert jobset.is_bound_whole()
    references, specs = jobset.references(), [workload["spec"] for workload in jobset.workloads()]
    assert world.finds("pods name what their templates name", references, equals=[by_hand])
    assert world.finds("the Workload is the only one, and as it was", specs, equals=[mine["spec"]])
    assert world.finds("no second gang was made", jobset.pod_groups(), count=0 if native.inline else 1)
