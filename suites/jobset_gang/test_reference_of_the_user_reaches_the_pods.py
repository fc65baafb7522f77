"""The user names a gang in the pod template. The JobSet asks for gangs too, but what is written there goes first."""

from harness.cases.language import GANG, JobSet, Object, ReplicatedJob, World, case


@case(
    "A reference that the user wrote into the pod template MUST reach the pods as it was written.",
    clauses=["JSG-06"],
)
def test_reference_of_the_user_reaches_the_pods(world: World) -> None:
    world.nodes(1, gpus=4)
    native = world.native
    by_hand = native.reference("by-hand", "mine", "mine")

    def refer(jobset: Object) -> None:
        jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"][native.reference_field] = by_hand

    world.objects.create(native.workload("by-hand", {"mine": native.gang_policy(2)}))
    if not native.inline:
        world.objects.create(native.group("mine", native.gang_policy(2), "by-hand", "mine"))
    jobset = world.submit(
        JobSet(ReplicatedJob("first", pods=2, mode=GANG), ReplicatedJob("second", pods=2, mode=GANG)), alter=refer
    )
    assert jobset.has_pods(4)

    references = jobset.references("first")
    assert world.finds("pods name what the template names", references, equals=[by_hand])
    assert jobset.refers_to("pg-second", "second")
    assert jobset.is_bound_whole()
