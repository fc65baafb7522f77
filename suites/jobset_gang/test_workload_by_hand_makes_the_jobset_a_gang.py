"""What works today, without any gangConfig: the user writes Workload and gang, and refers to them in every template."""

from harness.cases.language import JobSet, Object, ReplicatedJob, World, case


@case(
    "With a Workload made by hand and references in every template the whole JobSet MUST be a gang.",
    clauses=["JSG-27"],
)
def test_workload_by_hand_makes_the_jobset_a_gang(world: World) -> None:
    native = world.native
    by_hand = native.reference("w-train", "pg-train", "pg-train")

    def refer(jobset: Object) -> None:
        for entry in jobset["spec"]["replicatedJobs"]:
            entry["template"]["spec"]["template"]["spec"][native.reference_field] = by_hand

    target = {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": "train"}
    world.objects.create(native.workload("w-train", {"pg-train": native.gang_policy(4)}, controllerRef=target))
    if not native.inline:
        world.objects.create(native.group("pg-train", native.gang_policy(4), "w-train", "pg-train", label="train"))
    world.nodes(1, gpus=3)
    jobset = world.submit(
        JobSet(ReplicatedJob("driver", pods=2, gang="train"), ReplicatedJob("worker", pods=2, gang="train")),
        alter=refer,
    )
    assert jobset.has_pods(4)
    assert jobset.is_refused()

    world.nodes(1, gpus=1)
    assert jobset.is_bound_whole()
    references = jobset.references()
    assert world.finds("pods name what their templates name", references, equals=[by_hand])
