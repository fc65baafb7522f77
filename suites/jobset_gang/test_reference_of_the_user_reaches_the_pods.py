"""The user names a gang in the pod template. The JobSet asks for gangs too, but what is written there goes first."""

from harness.case import case
from harness.jobsets import GANG, job, submit
from harness.native import Native, gang_policy
from harness.world import Object, World


@case(
    "A reference that the user wrote into the pod template MUST reach the pods as it was written.",
    clauses=["JSG-06"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
)
def test_reference_of_the_user_reaches_the_pods(world: World) -> None:
    world.nodes(1, gpus=4)
    native = Native(world)
    own = native.reference("by-hand", "mine", "mine")

    def refer(jobset: Object) -> None:
        jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"][native.reference_field] = own

    world.create(native.workload("by-hand", {"mine": gang_policy(2)}))
    if not native.inline:
        world.create(native.group("mine", gang_policy(2), "by-hand", "mine"))
    live = submit(world, job("first", pods=2, mode=GANG), job("second", pods=2, mode=GANG), alter=refer)
    assert live.has_pods(4)

    said = live.references("first")
    assert world.claim("pods name what the template names", said == [own], str(said))
    said = live.references("second")
    theirs = live.reference("pg-second", "pg-train.second")
    assert world.claim("pods of the other job name their own group", said == [theirs], str(said))
    for gang in live.gangs.values():
        assert gang.is_bound_whole()
